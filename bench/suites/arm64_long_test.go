//go:build long && linux

package suites_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestLongARM64 runs the tests of the guard and of the engine for linux/arm64 on QEMU: a module
// that the guard accepts is compiled there, too, and runs in the same way.
func TestLongARM64(t *testing.T) {
	for dir, names := range map[string]string{
		"core/wasmtool/guard":      "TestLargestAccepted|TestModulesRunTheSame|TestRefusals",
		"core/wasmtool/enginetest": "TestWazero$",
	} {
		t.Run(dir, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "arm64.test")
			build := exec.Command("go", "test", "-c", "-vet=off", "-o", program, "golem/"+dir)
			build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			run := exec.Command("qemu-aarch64", program, "-test.run", names)
			run.Dir = filepath.Join("..", "..", filepath.FromSlash(dir))
			if out, err := run.CombinedOutput(); err != nil {
				t.Fatalf("%v (Debian: qemu-user)\n%s", err, out)
			}
		})
	}
}
