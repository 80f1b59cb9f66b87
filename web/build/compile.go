package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// compile builds a program for js/wasm as build/NAME, and returns its bytes. They do not
// depend on where, when or by whom it was built, so that its size is the same in every
// clone.
func compile(name, source string) ([]byte, error) {
	out := filepath.Join("build", name)
	if err := os.MkdirAll("build", 0o755); err != nil {
		return nil, err
	}
	args, err := overlay()
	if err != nil {
		return nil, err
	}
	args = slices.Concat([]string{"build", "-trimpath", "-buildvcs=false", "-tags", "nethttpomithttp2", "-ldflags", "-s -w -buildid= -X main.version=" + version() + " -X main.commit=" + git("", "rev-parse", "--short=12", "HEAD") + " -X main.date=" + git("", "log", "-1", "--format=%cI"), "-o", out}, plain(), args)
	if err := goTool(append(args, source)...); err != nil {
		return nil, err
	}
	program, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	smaller, err := withoutLines(program)
	if err != nil {
		fmt.Fprintf(os.Stderr, "web: %s keeps its table of lines, and is larger, because this version of Go writes it in another way: %v\n", name, err)
		return program, nil
	}
	return smaller, os.WriteFile(out, smaller, 0o644)
}

// version returns GOLEM_VERSION, which make web VERSION=… sets, else what git says.
func version() string {
	return cmp.Or(os.Getenv("GOLEM_VERSION"), git("unknown", "describe", "--tags", "--always", "--dirty"))
}

// goTool runs the go command for js/wasm.
func goTool(args ...string) error {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// plain returns the flags that compile without inlining, which makes the program smaller, and
// without DWARF, which the linker leaves out (-s -w).
// Inlining stays on for the guard, which reads modules of megabytes, and for the packages of
// the standard library that a page runs often. bench/README.md says what this costs and
// saves.
func plain() []string {
	flags := []string{"-gcflags=all=-l -dwarf=false", "-gcflags=std=-dwarf=false"}
	for _, p := range []string{
		"archive/...", "bufio", "bytes", "compress/...", "container/...", "context", "crypto/...", "debug/...", "encoding/...", "errors", "fmt", "hash/...", "html", "internal/...", "io/...", "log/...", "math", "math/big", "math/rand/...", "mime/...",
		"net/...", "os/...", "path/...", "reflect", "regexp/...", "runtime", "sort", "strconv", "strings", "sync/...", "syscall/...", "text/...", "time", "vendor/...",
	} {
		flags = append(flags, "-gcflags="+p+"=-l -dwarf=false")
	}
	return append(flags, "-gcflags=golem/core/wasmtool/guard=-dwarf=false")
}

// laidOver maps packages and files of the standard library, of which the page needs only a
// few names, to the small files that replace them. Without that they would be linked whole:
// what a package sets up before main is linked even if nothing calls it.
var laidOver = map[string]string{
	"crypto/tls":                             "web/build/notls/tls.go",
	"debug/macho":                            "web/build/nomacho/macho.go",
	"internal/godebug":                       "web/build/nogodebug/godebug.go",
	"log/slog":                               "web/build/noslog/slog.go",
	"mime/type_unix.go":                      "web/build/nomime/type_unix.go",
	"vendor/golang.org/x/net/http/httpproxy": "web/build/noproxy/httpproxy.go",
	"vendor/golang.org/x/net/idna":           "web/build/noidna/idna.go",
}

// overlay returns the flags for go build that put laidOver in place. If this version of Go
// does not build with them, because it needs more names, overlay says so on stderr and
// returns none.
func overlay() ([]string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	std := filepath.Join(strings.TrimSpace(string(root)), "src")
	replaced := map[string]string{}
	for pkg, file := range laidOver {
		if file, err = filepath.Abs(file); err != nil {
			return nil, err
		}
		if path.Ext(pkg) == ".go" {
			replaced[filepath.Join(std, filepath.FromSlash(pkg))] = file
			continue
		}
		sources, err := filepath.Glob(filepath.Join(std, filepath.FromSlash(pkg), "*.go"))
		if err != nil {
			return nil, err
		}
		for _, name := range sources {
			replaced[name] = "" // as if the file did not exist
		}
		replaced[filepath.Join(std, filepath.FromSlash(pkg), filepath.Base(file))] = file
	}
	data, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return nil, err
	}
	file := filepath.Join("build", "overlay.json")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		return nil, err
	}
	flags := []string{"-overlay", file}
	if err := goTool(slices.Concat([]string{"build", "-trimpath", "-tags", "nethttpomithttp2"}, plain(), flags, []string{"net/http", "debug/macho", "github.com/google/jsonschema-go/jsonschema"})...); err != nil {
		fmt.Fprintln(os.Stderr, "web: this version of Go needs more than the stand-ins in web/build/no* have: the page is built with the standard library as it is, and is larger")
		return nil, nil
	}
	return flags, nil
}
