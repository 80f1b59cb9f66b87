package toolcmd

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"time"
)

// lookUp searches the PATH for a program.
func lookUp(program string) (file string, missing bool) {
	file, err := exec.LookPath(program)
	return file, err != nil
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
	if _, no := lookUp("make"); no {
		missing = append(missing, "make; or type the two commands in README.md")
	}
	return missing
}

func missingGo() []string {
	if _, no := lookUp("go"); no {
		return withMake([]string{"go 1.21 or newer: https://go.dev/dl/"})
	}
	return withMake(nil)
}

func missingRust() []string {
	const install = "https://rustup.rs"
	if _, no := lookUp("cargo"); no {
		return withMake([]string{"cargo: " + install + ", then rustup target add wasm32-wasip1"})
	}
	dir := ask("rustc", "--print", "target-libdir", "--target", "wasm32-wasip1")
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		if _, no := lookUp("rustup"); no {
			return withMake([]string{"Rust's target wasm32-wasip1: take Rust from " + install + ", then rustup target add wasm32-wasip1"})
		}
		return withMake([]string{"Rust's target wasm32-wasip1: rustup target add wasm32-wasip1"})
	}
	return withMake(nil)
}

func missingC() []string {
	const install = " (Debian, Ubuntu: apt install clang lld; macOS: brew install llvm lld)"
	var missing []string
	if _, no := lookUp("clang"); no {
		missing = append(missing, "clang"+install)
	} else if !strings.Contains(ask("clang", "--print-targets"), "wasm32") {
		missing = append(missing, "a clang with the target wasm32; make CLANG=/path/to/another"+install)
	}
	if _, no := lookUp("wasm-ld"); no {
		missing = append(missing, "wasm-ld, the linker"+install)
	}
	return withMake(missing)
}

func missingJS() []string {
	if _, no := lookUp("npm"); no {
		return withMake([]string{"Node 18 or newer with npm: https://nodejs.org"})
	}
	return withMake(nil)
}
