package toolcmd

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A missing program is named, with the place to get it. A compiler that cannot make
// WebAssembly counts as missing.
func TestMissingCompilers(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	program := func(name, script string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	hold := func(what string, missing []string, want ...string) {
		t.Helper()
		all := strings.Join(missing, "\n")
		for _, w := range want {
			if !strings.Contains(all, w) {
				t.Errorf("%s: %q is not named in\n%s", what, w, all)
			}
		}
		if len(want) == 0 && len(missing) > 0 {
			t.Errorf("%s: missing\n%s", what, all)
		}
	}
	for _, l := range languages {
		if l.missing == nil {
			continue // golem builds it itself
		}
		hold(l.name+" with nothing there", l.missing(), map[string]string{
			"go": "https://go.dev/dl/", "rust": "https://rustup.rs", "c": "apt install clang lld", "as": "https://nodejs.org",
		}[l.name], "make; or type")
	}
	if runtime.GOOS == "windows" {
		return // Windows runs no scripts as programs: only absence is tested
	}
	for _, name := range []string{"make", "go", "npm", "cargo", "wasm-ld"} {
		program(name, "exit 0")
	}
	program("clang", "echo '    x86-64 - 64-bit X86'")
	program("rustc", "echo "+filepath.Join(bin, "nosuch"))
	hold("Go", missingGo())
	hold("npm", missingJS())
	hold("a clang without the target", missingC(), "a clang with the target wasm32")
	hold("a Rust of the system's, without the target", missingRust(), "https://rustup.rs, then rustup target add wasm32-wasip1")
	program("rustup", "exit 0")
	hold("a Rust without the target", missingRust(), "rustup target add wasm32-wasip1")
	program("clang", "echo '    wasm32 - WebAssembly 32-bit'")
	program("rustc", "echo "+bin)
	hold("clang", missingC())
	hold("Rust", missingRust())
	program("clang", "exit 1")
	hold("a clang that fails", missingC(), "a clang with the target wasm32")
}
