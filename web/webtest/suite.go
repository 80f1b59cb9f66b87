package webtest

import (
	"embed"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"
)

//go:embed suite.html suite.js
var suiteFiles embed.FS

// Suite is a Go test program for js/wasm that runs in a web worker of a page.
type Suite struct {
	Package string        // as for go test; "." is the package of the test itself
	Scripts []string      // JavaScript that runs in the worker before the program
	Args    []string      // flags of the test program
	Timeout time.Duration // 0: twice Patience
	Quota   float64       // bytes that the page may store; 0: the browser's own limit
	Files   fstest.MapFS  // more files for the page's site, which the program can fetch
	Expect  []string      // errors of the page that do not fail the test, see Page.Expect
}

// Run builds the suite and runs it in each of the browsers, and reports its
// tests as subtests.
func (s Suite) Run(t *testing.T, browsers ...*Browser) {
	t.Helper()
	for _, b := range browsers {
		t.Run(b.Engine.String(), func(t *testing.T) {
			t.Parallel()
			out, code := s.Output(t, b)
			s.report(t, out, code)
		})
	}
}

// Output builds and runs the suite, and returns what it printed and its exit code.
func (s Suite) Output(t testing.TB, b *Browser) (out string, code int) {
	t.Helper()
	files := fstest.MapFS{
		"program.wasm": {Data: Build(t, "test", "-c", "-o", "OUT", s.Package)},
		"worker.js":    {Data: s.worker(t)},
	}
	maps.Copy(files, s.Files)
	page, err := suiteFiles.ReadFile("suite.html")
	if err != nil {
		t.Fatal(err)
	}
	files["index.html"] = &fstest.MapFile{Data: page}
	site := Serve(t, files, "/")
	p := b.Open(t, site.URL)
	for _, text := range s.Expect {
		p.Expect(text)
	}
	if s.Quota > 0 {
		p.Quota(site.Origin, s.Quota)
	}
	args := `"-test.v"`
	for _, a := range s.Args {
		args += fmt.Sprintf(",%q", a)
	}
	wait := s.Timeout
	if wait == 0 {
		wait = 2 * Patience
	}
	code, err = Try[int](p, "run(["+args+"])", wait)
	out, _ = Try[string](p, "output", Patience)
	if err != nil {
		t.Fatalf("the suite did not end: %v\n%s\n%s", err, out, p.Console())
	}
	return out, code
}

// worker returns the worker's script: Go's wasm_exec.js, then s.Scripts, then suite.js.
func (s Suite) worker(t testing.TB) []byte {
	own, err := suiteFiles.ReadFile("suite.js")
	if err != nil {
		t.Fatal(err)
	}
	parts := append([]string{WasmExec(t)}, s.Scripts...)
	return []byte(strings.Join(append(parts, string(own)), "\n;\n"))
}

var verdict = regexp.MustCompile(`(?m)^--- (PASS|FAIL): (\S+) \((.*)\)$`)

// report makes a subtest from each test of the suite.
func (s Suite) report(t *testing.T, out string, code int) {
	t.Helper()
	found := verdict.FindAllStringSubmatch(out, -1)
	for _, m := range found {
		t.Run(m[2], func(t *testing.T) {
			if m[1] != "PASS" {
				t.Errorf("failed in the browser after %s", m[3])
			}
		})
	}
	switch {
	case code != 0:
		t.Errorf("the suite ended with code %d:\n%s", code, out)
	case len(found) == 0:
		t.Errorf("the suite has no tests:\n%s", out)
	}
}

var builds sync.Map // of *build, by the arguments

type build struct {
	once sync.Once
	data []byte
	err  error
}

// Build runs the go command for js/wasm. The argument "OUT" stands for the output file, whose
// content Build returns. The same arguments are built only once in a process.
func Build(t testing.TB, args ...string) []byte {
	t.Helper()
	made, _ := builds.LoadOrStore(strings.Join(args, "\x00"), &build{})
	b := made.(*build)
	b.once.Do(func() { b.data, b.err = goBuild(args) })
	if b.err != nil {
		t.Fatal(b.err)
	}
	return b.data
}

func goBuild(args []string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "golem-wasm-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "out.wasm")
	args = slices.Clone(args)
	for i, a := range args {
		if a == "OUT" {
			args[i] = out
		}
	}
	cmd := exec.Command("go", args...)
	// With these flags .ci/check.sh compiles the packages for Node, so each is compiled once.
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS="+os.Getenv("GOFLAGS")+" '-gcflags=all=-l -dwarf=false'")
	if said, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, said)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	return data, look(cmd.Env, args[len(args)-1])
}

// look calls os.Stat for each source file that was built, so that go test does not use a
// cached result when one of them changes: go test only knows the files that the test process
// itself uses.
func look(env []string, pkg string) error {
	cmd := exec.Command("go", "list", "-deps", "-test", "-f", "{{if .Module}}{{if .Module.Main}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}\n{{end}}{{range .EmbedFiles}}{{$d}}/{{.}}\n{{end}}{{end}}{{end}}", pkg)
	cmd.Env = env
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list %s: %w", pkg, err)
	}
	for name := range strings.SplitSeq(strings.TrimSpace(string(out)), "\n") {
		if name = strings.TrimSpace(name); name == "" || !filepath.IsAbs(name) {
			continue // the test's own main
		}
		if _, err := os.Stat(name); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

// WasmExec returns wasm_exec.js of the Go version in use, which Go programs need in
// JavaScript.
func WasmExec(t testing.TB) string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
