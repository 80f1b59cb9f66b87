package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// checkout makes a directory that looks like a built checkout: the examples,
// package sdk and bin/golem.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "bin", "golem"), "golem/cmd/cli")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, part := range []string{"examples", "sdk"} {
		if err := os.CopyFS(filepath.Join(dir, part), os.DirFS("../"+part)); err != nil {
			t.Fatal(err)
		}
	}
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), mod, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// shell runs commands as a person without a terminal would, stopping at the
// first that fails.
func shell(t *testing.T, dir, commands string) string {
	t.Helper()
	cmd := exec.Command("bash", "-eu", "-c", commands)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + filepath.Join(dir, "bin") + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + filepath.Join(dir, "home"), "NO_COLOR=1",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v in\n%s\n%s", err, commands, out)
	}
	return string(out)
}

var block = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

// The README's terminal session works when pasted: each block of commands
// succeeds, and what the text block after it shows is in its output.
func TestReadmeSession(t *testing.T) {
	data, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := checkout(t)
	ran, last := 0, ""
	for _, b := range block.FindAllStringSubmatch(string(data), -1) {
		switch kind, text := b[1], b[2]; kind {
		case "sh":
			last = shell(t, dir, offline(t)+strings.ReplaceAll(text, "make build\n", ""))
			ran++
		case "text":
			if !strings.Contains(last, strings.TrimSpace(text)) {
				t.Errorf("the README shows\n%s\ngolem says\n%s", text, last)
			}
		}
	}
	if ran < 3 {
		t.Errorf("only %d blocks of commands were run", ran)
	}
}

// The two-worker project of workers.md, built from the page alone, checks
// clean and runs.
func TestWorkersPageProject(t *testing.T) {
	data, err := os.ReadFile("workers.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	dir := checkout(t)
	for _, name := range []string{"main.worker", "workers/summarizer.worker", "script.yaml"} {
		_, after, found := strings.Cut(page, "\n`"+name+"`")
		if !found {
			t.Fatalf("workers.md does not show %s", name)
		}
		content := block.FindStringSubmatch(after)[2]
		full := filepath.Join(dir, "minutes", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "minutes", "notes.txt"), []byte("We met.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := shell(t, dir, "golem check minutes"); !strings.Contains(out, "0 errors, 0 warnings") {
		t.Errorf("golem check says\n%s", out)
	}
	out := shell(t, dir, `cd minutes; golem run . "Please write up notes.txt" --approve-all; cat minutes.md; golem trace export .golem/runs/*.jsonl --format normal`)
	for _, want := range []string{
		"The minutes are in /minutes.md.", "Agreed: Friday.",
		`"worker":"summarizer","depth":1,"status":"ok","output":"The meeting agreed on Friday."`, // the child answered, by its caller's model
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the run does not say %q:\n%s", want, out)
		}
	}
}
