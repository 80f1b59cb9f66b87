package toolcmd

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"time"
)

// onPath reports whether a program is on the PATH.
func onPath(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// ask runs a compiler and returns what it prints; "" if it fails or takes longer than 30
// seconds.
func ask(program string, args ...string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, args...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// withMake adds make to the missing programs if it is not installed. The README shows
// the commands that work without it.
func withMake(missing []string) []string {
	if !onPath("make") {
		missing = append(missing, "make; or type the two commands in README.md")
	}
	return missing
}

func missingGo() []string {
	if !onPath("go") {
		return withMake([]string{"go 1.21 or newer: https://go.dev/dl/"})
	}
	return withMake(nil)
}

func missingRust() []string {
	const install = "https://rustup.rs"
	if !onPath("cargo") {
		return withMake([]string{"cargo: " + install + ", then rustup target add wasm32-wasip1"})
	}
	dir := ask("rustc", "--print", "target-libdir", "--target", "wasm32-wasip1")
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		if !onPath("rustup") {
			return withMake([]string{"Rust's target wasm32-wasip1: take Rust from " + install + ", then rustup target add wasm32-wasip1"})
		}
		return withMake([]string{"Rust's target wasm32-wasip1: rustup target add wasm32-wasip1"})
	}
	return withMake(nil)
}

func missingC() []string {
	const install = " (Debian, Ubuntu: apt install clang lld; macOS: brew install llvm lld)"
	var missing []string
	if !onPath("clang") {
		missing = append(missing, "clang"+install)
	} else if !strings.Contains(ask("clang", "--print-targets"), "wasm32") {
		missing = append(missing, "a clang with the target wasm32; make CLANG=/path/to/another"+install)
	}
	if !onPath("wasm-ld") {
		missing = append(missing, "wasm-ld, the linker"+install)
	}
	return withMake(missing)
}

func missingJS() []string {
	if !onPath("npm") {
		return withMake([]string{"Node 18 or newer with npm: https://nodejs.org"})
	}
	return withMake(nil)
}
