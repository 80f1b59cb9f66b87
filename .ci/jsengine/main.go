// Command jsengine builds golem's JavaScript engine and its linker, core/jstool/embedded. Run
// it in the root of the repository:
//
//	go run ./.ci/jsengine [DIR]
//
// It writes engine.wasm.gz and link.bytecode.gz into DIR. The sources are QuickJS-NG, from the Go
// module proxy, which checks their digest, and core/jstool/engine and core/jstool/linker with
// @babel/parser from npm. clang, its linker and wasi-libc must be installed: make jsengine
// does so.
package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"golem/core/wasmtool"
	"golem/core/wasmtool/wazeroengine"
)

const (
	quickjs = "github.com/quickjs-ng/quickjs@v0.10.1"
	sum     = "h1:mDd2mBT6Tu9wulMET7s+Pl4FeRfNAV8HUoLKmBbu/t4="
	linker  = "core/jstool/linker"
)

func main() {
	log.SetFlags(0)
	out := "core/jstool/embedded"
	if len(os.Args) > 1 {
		out = os.Args[1]
	}
	if err := build(context.Background(), out); err != nil {
		log.Fatal("jsengine: ", err)
	}
}

func build(ctx context.Context, out string) error {
	dir, err := os.MkdirTemp("", "jsengine-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	engine, err := compileEngine(dir)
	if err == nil {
		engine, err = prepared(ctx, engine)
	}
	if err != nil {
		return err
	}
	text, err := bundle()
	if err != nil {
		return err
	}
	compiled, err := compileLinker(ctx, engine, text)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for name, data := range map[string][]byte{"engine.wasm": engine, "link.bytecode": compiled} {
		packed, err := pack(data)
		if err == nil {
			err = os.WriteFile(filepath.Join(out, name+".gz"), packed, 0o644)
		}
		if err != nil {
			return err
		}
		fmt.Printf("%s: %d bytes, %d packed\n", name, len(data), len(packed))
	}
	return nil
}

// pack returns data in the format of gzip, without a name or a time.
func pack(data []byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// compileEngine compiles QuickJS-NG with golem's engine.c and boot.js.
func compileEngine(dir string) ([]byte, error) {
	sources, err := download()
	if err != nil {
		return nil, err
	}
	boot, err := os.ReadFile("core/jstool/engine/boot.js")
	if err != nil {
		return nil, err
	}
	var c bytes.Buffer
	c.WriteString("const unsigned char boot_js[] = {")
	for _, b := range boot {
		fmt.Fprintf(&c, "%d,", b)
	}
	fmt.Fprintf(&c, "0};\nconst unsigned boot_js_length = %d;\n", len(boot))
	if err := changed(sources, dir); err != nil {
		return nil, err
	}
	bootC, wasm := filepath.Join(dir, "boot.c"), filepath.Join(dir, "engine.wasm")
	if err := os.WriteFile(bootC, c.Bytes(), 0o644); err != nil {
		return nil, err
	}
	args := []string{
		"--target=wasm32-wasi", "--sysroot=/usr", "-I/usr/include/wasm32-wasi", "-mexec-model=reactor", "-Oz", "-flto", "-w",
		"-DNDEBUG", "-D_GNU_SOURCE", "-I" + dir, "-I" + sources, "-Wl,--lto-O2", "-Wl,-s", "-Wl,-z,stack-size=1048576", "-Wl,--export=golem_slot",
		"core/jstool/engine/engine.c", "core/jstool/engine/stack.c", bootC,
	}
	for _, name := range []string{"cutils.c", "libregexp.c", "libunicode.c", "xsum.c"} {
		args = append(args, filepath.Join(sources, name))
	}
	if _, err := run("", cmp.Or(os.Getenv("CLANG"), "clang"), append(args, "-lm", "-o", wasm)...); err != nil {
		return nil, err
	}
	return os.ReadFile(wasm)
}

// download returns the directory of QuickJS-NG's sources.
func download() (string, error) {
	out, err := run(os.TempDir(), "go", "mod", "download", "-json", quickjs)
	if err != nil {
		return "", err
	}
	var module struct{ Dir, Sum string }
	if err := json.Unmarshal(out, &module); err != nil {
		return "", err
	}
	if module.Sum != sum {
		return "", fmt.Errorf("%s has the digest %s, expected %s", quickjs, module.Sum, sum)
	}
	return module.Dir, nil
}

// bundle returns the linker with @babel/parser as one file.
func bundle() (string, error) {
	if _, err := run(linker, "npm", "ci", "--silent"); err != nil {
		return "", err
	}
	r := api.Build(api.BuildOptions{
		EntryPoints: []string{linker + "/link.js"}, Bundle: true, Format: api.FormatESModule, Target: api.ES2022,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, LegalComments: api.LegalCommentsNone,
	})
	if len(r.Errors) > 0 {
		return "", fmt.Errorf("%s", strings.Join(api.FormatMessages(r.Errors, api.FormatMessagesOptions{}), ""))
	}
	return string(r.OutputFiles[0].Contents), nil
}

// compileLinker returns the linker's bytecode, which only this engine understands.
func compileLinker(ctx context.Context, engine []byte, text string) ([]byte, error) {
	l := &wasmtool.Library{Open: func(ctx context.Context) (wasmtool.Engine, error) {
		return wazeroengine.New(ctx, wazeroengine.Options{})
	}}
	defer l.Close()
	return l.Ungranted(ctx, engine, "compile", []byte(text), nil)
}

func run(dir, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		var stderr string
		if e, ok := err.(*exec.ExitError); ok {
			stderr = string(e.Stderr)
		}
		return nil, fmt.Errorf("%s: %w\n%s", name, err, stderr)
	}
	return out, nil
}
