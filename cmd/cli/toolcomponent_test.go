package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golem/core/config"
)

// A component (WASI 0.2) is recognised by its first bytes, by tool add and by check,
// and the fault says what to do.
func TestComponentIsExplained(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	component := []byte("\x00asm\x0d\x00\x01\x00rest of it")
	for name, data := range map[string][]byte{"c.wasm": component, "p/tools/c.wasm": component, "q/main.worker": []byte("---\nmodel: script:minimal\n---\nx\n"), "p/main.worker": []byte("---\nmodel: script:minimal\n---\nx\n")} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"tool", "add", "c.wasm", "--project", "q", "--yes"}, {"check", "p"}} {
		cmd := exec.Command(exe, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), asGolem+"=1", "GOLEM_HOME="+homeOf(dir), "GOLEM_PROJECT=", "GOLEM_MODEL=")
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "is a WebAssembly component, and golem runs only core modules") || !strings.Contains(string(out), "wasm32-wasip1") {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "q", config.ToolLockFile)); err == nil {
		t.Error("something was written")
	}
}
