package docs_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// scratch is a directory for what several tests share.
var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "golem-docs-"); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := os.RemoveAll(scratch); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// buildGolem builds golem once for all tests, and returns its path.
var buildGolem = sync.OnceValues(func() (string, error) {
	file := filepath.Join(scratch, "golem")
	out, err := exec.Command("../.ci/build.sh", file).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return file, err
})

// checkout makes a directory that looks like a built checkout, with the examples, package sdk
// and bin/golem.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	golem, err := buildGolem()
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "bin"), 0o755)
	}
	if err == nil {
		err = os.Link(golem, filepath.Join(dir, "bin", "golem"))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"examples", "sdk"} {
		if err := os.CopyFS(filepath.Join(dir, part), withoutPackages{os.DirFS("../" + part)}); err != nil {
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

// withoutPackages is a file system that hides node_modules.
type withoutPackages struct{ fs.FS }

// ReadDir lists a directory, without node_modules.
func (w withoutPackages) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(w.FS, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "node_modules" }), err
}

// shell runs commands in bash, without a terminal, and returns their output. The first command
// that fails ends them.
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

// shown writes files that a page shows: each is in the block after a line that begins with its
// name in back quotes.
func shown(t *testing.T, page, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		_, after, found := strings.Cut(page, "\n`"+name+"`")
		if !found {
			t.Fatalf("the page does not show %s", name)
		}
		write(t, filepath.Join(dir, filepath.FromSlash(name)), block.FindStringSubmatch(after)[2])
	}
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestReadmeProject tests that the project, made from the README alone, has no faults, and that
// its child answers.
func TestReadmeProject(t *testing.T) {
	data, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := checkout(t)
	minutes := filepath.Join(dir, "minutes")
	shown(t, string(data), minutes, "main.worker", "workers/summarizer.worker")
	write(t, filepath.Join(minutes, "notes", "monday.txt"), "We met. We agreed on Friday.\n")
	write(t, filepath.Join(dir, "script.yaml"), `script: 1
workers:
  main:
    - calls: [{tool: read_file, args: {path: /notes/monday.txt}}]
    - calls: [{tool: summarizer, args: {input: "We met. We agreed on Friday."}}]
    - calls: [{tool: write_file, args: {path: /output/monday.md, content: "Agreed: Friday.\n"}}]
    - say: Saved.
  summarizer:
    - say: The meeting agreed on Friday.
`)
	if out := shell(t, dir, "golem check minutes"); !strings.Contains(out, "./output, which does not exist yet: the first write creates it") || !strings.Contains(out, "0 errors, 1 warning") {
		t.Errorf("golem check says\n%s", out)
	}
	out := shell(t, dir, `golem run minutes "Write up monday.txt" --model script:script.yaml --approve-all; cat minutes/output/monday.md; golem trace export minutes/.golem/runs/*.jsonl --format normal`)
	for _, want := range []string{"Saved.", "Agreed: Friday.", `"worker":"summarizer","depth":1,"status":"ok","output":"The meeting agreed on Friday."`} {
		if !strings.Contains(out, want) {
			t.Errorf("the run does not say %q:\n%s", want, out)
		}
	}
}
