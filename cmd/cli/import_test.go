package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// The projects that golem import makes pass golem check, of each format.
func TestImportedProjectsPassCheck(t *testing.T) {
	t.Parallel()
	cases, err := filepath.Glob(filepath.Join("..", "..", "core", "foreign", "testdata", "*.txtar"))
	if err != nil || len(cases) < 6 {
		t.Fatalf("%v, %d cases", err, len(cases))
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			dir := t.TempDir()
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range txtar.Parse(data).Files {
				at := filepath.Join(dir, "in", f.Name)
				if strings.HasPrefix(f.Name, "want/") {
					continue
				}
				if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, f.Data, 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			for _, args := range [][]string{{"import", "in", "--out", "out"}, {"check", "out"}} {
				cmd := exec.Command(exe, args...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), asGolem+"=1", "GOLEM_HOME="+homeOf(dir), "GOLEM_PROJECT=", "GOLEM_MODEL=openai:x")
				out, err := cmd.CombinedOutput()
				if err != nil || !strings.Contains(string(out), "0 errors") {
					t.Errorf("%v: %v\n%s", args, err, out)
				}
			}
		})
	}
}
