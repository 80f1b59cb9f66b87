//go:build !js

package examples_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// word matches one word of a command line in the READMEs: without quotes, or in single
// or double quotes.
var word = regexp.MustCompile(`'([^']*)'|"([^"]*)"|(\S+)`)

// TestREADMEs runs the commands of every README that need no API key, in a copy and
// with nobody who could answer. Each ends with exit 0, with 3 if a call needed an
// answer, or with 1 if runCommand knows it as a command that golem refuses.
func TestREADMEs(t *testing.T) {
	golem := filepath.Join(t.TempDir(), "golem")
	if out, err := exec.Command("../.ci/build.sh", golem).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, err := filepath.Glob("*/README.md")
	levels, _ := filepath.Glob("levels/*/README.md")
	files = append(files, levels...)
	files = slices.DeleteFunc(files, func(f string) bool {
		return f == "tools/README.md" || f == "levels/README.md" || // no projects
			f == "mcp-servers/README.md" // needs npm: cmd/cli's TestPublicServers plays it
	})
	if err != nil || len(files) != 20 {
		t.Fatalf("%d READMEs: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Dir(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			copyExamples(t, filepath.Join(dir, "examples"))
			if n := runCommands(t, golem, dir, string(text)); n < 2 {
				t.Errorf("only %d commands were found", n)
			}
		})
	}
}

// runCommands runs the lines of the code blocks that call golem, and the cp and mkdir
// lines before them. It returns the number of golem commands.
func runCommands(t *testing.T, golem, dir, text string) int {
	t.Helper()
	n := 0
	for i, block := range strings.Split(text, "```") {
		if i%2 == 0 {
			continue
		}
		for line := range strings.SplitSeq(strings.TrimSpace(block), "\n") {
			line, _, _ = strings.Cut(line, " </dev/null")
			var args []string
			for _, m := range word.FindAllStringSubmatch(line, -1) {
				args = append(args, m[1]+m[2]+m[3])
			}
			switch {
			case strings.HasPrefix(line, "mkdir -p build && cp -R "):
				if err := os.CopyFS(filepath.Join(dir, args[6+1]), os.DirFS(filepath.Join(dir, args[6]))); err != nil {
					t.Fatal(err)
				}
			case args[0] == "mkdir" && len(args) == 3:
				if err := os.MkdirAll(filepath.Join(dir, args[2]), 0o755); err != nil {
					t.Fatal(err)
				}
			case args[0] == "golem" && !strings.Contains(line, "ollama:") && !strings.Contains(line, "openai:"):
				n++
				runCommand(t, golem, dir, args[1:], line)
			}
		}
	}
	return n
}

func runCommand(t *testing.T, golem, dir string, args []string, line string) {
	t.Helper()
	var all []string // as a shell would expand them
	for _, a := range args {
		if strings.Contains(a, "*") && !strings.Contains(a, "{") {
			found, err := filepath.Glob(filepath.Join(dir, a))
			if err != nil || len(found) == 0 {
				t.Errorf("%s: nothing matches %s (%v)", line, a, err)
				return
			}
			all = append(all, found...)
			continue
		}
		all = append(all, a)
	}
	args = all
	cmd := exec.Command(golem, args...)
	cmd.Dir = dir
	cmd.Env = []string{"GOLEM_HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH"), "HOME=" + dir}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	code := 0
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	refused := strings.Contains(line, `"path":7`) || strings.Contains(line, "/etc/passwd")
	if refused != (code == 1) || code != 0 && code != 1 && code != 3 {
		t.Errorf("%s: exit %d\n%s%s", line, code, &stdout, &stderr)
	}
	if strings.Contains(line, "golem run") && !refused && stdout.Len() == 0 {
		t.Errorf("%s: no answer\n%s", line, &stderr)
	}
}
