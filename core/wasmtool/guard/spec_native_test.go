//go:build !js && spec

package guard

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// For developers (make spec): wazero's source contains the modules of the WebAssembly
// specification's tests, some thousands.

// specModules calls f with each module of the WebAssembly 2.0 and tail-call tests.
func specModules(t *testing.T, f func(name string, module []byte)) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/tetratelabs/wazero").Output()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, dir := range []string{"spectest/v2", "spectest/tail-call", "engine", "fuzzcases"} {
		root := filepath.Join(strings.TrimSpace(string(out)), "internal", "integration_test", dir, "testdata")
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".wasm" || strings.Contains(path, "threads") {
				return err
			}
			module, err := os.ReadFile(path)
			f(dir+"/"+filepath.Base(path), module)
			n++
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n < 4000 {
		t.Errorf("only %d modules are there", n)
	}
}

// A valid module that the guard accepts is valid after weaving. An invalid one stays
// invalid, unless the guard leaves out or corrects what is wrong.
func TestSpecValidity(t *testing.T) {
	m := newMachine(t, true)
	ctx := context.Background()
	compile := func(module []byte) error {
		c, err := m.runtime.CompileModule(ctx, module)
		if err == nil {
			err = c.Close(ctx)
		}
		return err
	}
	mended := regexp.MustCompile("custom section|section memory: max|undeclared function index")
	counts := map[string]int{}
	specModules(t, func(name string, module []byte) {
		before := compile(module)
		woven, err := Weave(module)
		if err != nil {
			if counts["refused"]++; before == nil {
				reason, _, _ := strings.Cut(err.Error(), " (at byte")
				counts["though valid: "+regexp.MustCompile("[0-9]+|\"[^\"]*\"").ReplaceAllString(reason, "…")]++
			}
			return
		}
		counts["accepted"]++
		after := compile(woven)
		if before == nil && after != nil || before != nil && after == nil && !mended.MatchString(before.Error()) {
			t.Errorf("%s: unguarded %v, guarded %v", name, before, after)
		}
	})
	for what, n := range counts {
		t.Log(n, what)
	}
}

func TestSpecRunsTheSame(t *testing.T) {
	w := newTwins(t)
	specModules(t, func(name string, module []byte) { w.run(t, name, module) })
	t.Logf("%d calls of %d modules", w.calls, w.modules)
}
