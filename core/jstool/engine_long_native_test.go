//go:build long && !js

package jstool_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The engine in golem is the one that make jsengine builds from its sources, with the compiler
// of Debian 12.
func TestLongEngineIsBuiltFromItsSources(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command("go", "run", "./.ci/jsengine", dir)
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"engine.wasm.gz", "link.bytecode.gz"} {
		built, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(filepath.Join("embedded", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(built, kept) {
			t.Errorf("%s: built %d bytes, golem has %d others; run make jsengine", name, len(built), len(kept))
		}
	}
}
