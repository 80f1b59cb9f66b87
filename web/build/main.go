// Command build makes web/dist, the whole page as static files: golem.wasm, compressed; the
// bundle of web/ui; the web worker's script; the examples as zips; and a service worker with
// the list of all files. It needs Go and web/node_modules (npm ci). Run it in the module's
// root. With the argument core it makes build/core.wasm instead; with the argument page it
// makes the scripts and files again and keeps the programs of the last build. With the
// argument small it spends half a minute more on the copy of the page that goes into the
// binary, which is then 1.2 MB smaller.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/spf13/afero"

	"golem/core/workspace"
)

const dist = "web/dist"

func main() {
	run := func() error { return build(pack) }
	switch strings.Join(os.Args[1:], " ") {
	case "small":
		run = func() error { return build(packSmall) }
	case "core":
		run = core
	case "page":
		run = page
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "web:", err)
		os.Exit(1)
	}
}

func build(pack packer) error {
	if _, err := os.Stat("web/node_modules/preact"); err != nil {
		return fmt.Errorf("the page's packages are not installed: (cd web && npm ci)")
	}
	if err := clean(); err != nil {
		return err
	}
	if err := programs(); err != nil {
		return fmt.Errorf("golem.wasm: %w", err)
	}
	return files(pack)
}

// page makes web/dist again, but keeps the programs of the last build.
func page() error {
	if err := clean("golem.wasm.gz", "golem-wazero-*.wasm.gz", "repository-*.wasm.gz"); err != nil {
		return err
	}
	return files(pack)
}

// files makes all files of web/dist but the programs.
func files(pack packer) error {
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"golem.js and its worker", worker}, {"bundle", bundle}, {"files", copies}, {"examples", examples}, {"schemas", schemaFiles}, {"docs", documentation}, {"sw.js", serviceWorker}, {"the page for the binary", func() error { return embed(pack) }},
	} {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return tell()
}

// core makes build/core.wasm, whose size make check measures: the core alone, compiled with
// the same flags as the page's program.
func core() error {
	_, err := compile("core.wasm", "./bench/jscore")
	return err
}

// clean removes the files of an earlier build from web/dist, except those with names in
// stays, which may be patterns.
func clean(stays ...string) error {
	if err := os.MkdirAll(dist, 0o777); err != nil {
		return err
	}
	entries, err := os.ReadDir(dist)
	if err != nil {
		return err
	}
	for _, e := range entries {
		fits := func(pattern string) bool { ok, err := path.Match(pattern, e.Name()); return ok && err == nil }
		if slices.ContainsFunc(stays, fits) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dist, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func write(name string, data []byte) error {
	full := filepath.Join(dist, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	return os.WriteFile(full, data, 0o644)
}

// programs builds golem.wasm, the program that runs tools in browsers that cannot suspend a
// module, and the program that reads git repositories.
func programs() error {
	return errors.Join(program("golem.wasm", "./cmd/wasm", false), program("golem-wazero.wasm", "./cmd/wasm/wazero", true), program("repository.wasm", "./cmd/wasm/git", true))
}

// program builds a program for js/wasm and writes it, compressed. A late one has the digest of
// the program in its name, whether it is compressed or not.
func program(name, source string, late bool) error {
	data, err := compile(name, source)
	if err != nil {
		return err
	}
	packed, err := smallest(data)
	if err != nil {
		return err
	}
	if late {
		name = lateName(name, data)
	}
	return write(name+".gz", packed)
}

// smallest compresses with libdeflate, else with gzip -9, else with squeezed. Of golem.wasm
// libdeflate makes 4 % less than gzip, and gzip 35 kB less than Go's own package.
func smallest(data []byte) ([]byte, error) {
	for _, words := range [][]string{{"libdeflate-gzip", "-12", "-c"}, {"gzip", "-9", "-n", "-c"}} {
		if _, err := exec.LookPath(words[0]); err == nil {
			return filtered(data, words...)
		}
	}
	return squeezed(data)
}

// filtered returns the output of a command that reads data on its standard input.
func filtered(data []byte, words ...string) ([]byte, error) {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(data), os.Stderr
	return cmd.Output()
}

// git returns what a command of git prints, or otherwise without a repository.
func git(otherwise string, words ...string) string {
	out, err := exec.Command("git", words...).Output()
	if err != nil {
		return otherwise
	}
	return strings.TrimSpace(string(out))
}

func squeezed(data []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}

// worker joins Go's own support script, the scripts of sandbox/opfs and web/worker.js to
// golem-worker.js, which the page starts from a blob URL. It joins the scripts of the
// workers that run custom tools to golem-tool.js and golem-wazero.js, which are loaded when
// the first tool is called. It also copies the JavaScript engine, and makes golem.js.
func worker() error {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	tool, err := joined("web/tool/twin.js", "web/tool/kernel.js", "web/tool/wasi.js", "web/tool/files.js", "web/tool/worker.js")
	if err != nil {
		return err
	}
	if err := minified("golem-tool.js", tool, api.LoaderJS, writeLate); err != nil {
		return err
	}
	support := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js")
	own, err := joined(support, "sandbox/opfs/kept.js", "sandbox/opfs/handles.js", "sandbox/opfs/reads.js", "sandbox/opfs/logs.js", "sandbox/opfs/opfs.js", "sandbox/opfs/memory.js", "web/worker.js")
	if err != nil {
		return err
	}
	wazero, err := joined(support, "web/tool/wazero.js")
	if err != nil {
		return err
	}
	if err := minified("golem-wazero.js", wazero, api.LoaderJS, writeLate); err != nil {
		return err
	}
	for name, from := range map[string]string{"javascript.wasm.gz": "engine.wasm.gz", "javascript-linker.bin.gz": "link.bytecode.gz"} {
		data, err := os.ReadFile(filepath.Join("core/jstool/embedded", from))
		if err == nil {
			err = writeLate(name, data)
		}
		if err != nil {
			return err
		}
	}
	if err := modules(); err != nil { // LATE has all names now
		return err
	}
	return minified("golem-worker.js", own, api.LoaderJS, write)
}

// joined returns the content of scripts, one after the other.
func joined(names ...string) (string, error) {
	var out strings.Builder
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		out.Write(data)
		out.WriteString("\n;\n")
	}
	return out.String(), nil
}

// short returns a minified source, with the names of late files in place of LATE.
func short(name, source string, loader api.Loader) ([]byte, error) {
	names, err := late()
	if err != nil {
		return nil, err
	}
	r := api.Transform(source, api.TransformOptions{Loader: loader, Define: names, MinifyWhitespace: true, MinifySyntax: true, MinifyIdentifiers: true, Target: api.ES2022})
	if len(r.Errors) > 0 {
		return nil, fmt.Errorf("%s: %s", name, r.Errors[0].Text)
	}
	return r.Code, nil
}

// minified writes a minified source to web/dist, with write.
func minified(name, source string, loader api.Loader, write func(name string, data []byte) error) error {
	code, err := short(name, source, loader)
	if err != nil {
		return err
	}
	return write(name, code)
}

// bundle makes app.js, parts that load on demand such as the editor, and styles.css.
func bundle() error {
	r := api.Build(api.BuildOptions{
		EntryPoints: []string{"web/ui/app.jsx"}, Outdir: dist, Bundle: true, Splitting: true, Format: api.FormatESModule,
		ChunkNames: "part-[hash]", MinifyWhitespace: true, MinifySyntax: true, MinifyIdentifiers: true, Target: api.ES2022, Charset: api.CharsetUTF8,
		JSX: api.JSXAutomatic, JSXImportSource: "preact", LegalComments: api.LegalCommentsLinked, LogLevel: api.LogLevelWarning,
		Loader: map[string]api.Loader{".tmpl": api.LoaderText},
		// golem.js stays a module of its own: other pages embed it the same way.
		External: []string{"./golem.js"},
	})
	if err := flawless(r); err != nil {
		return err
	}
	if err := digested(r.OutputFiles); err != nil {
		return err
	}
	css, err := os.ReadFile("web/ui/styles.css")
	if err != nil {
		return err
	}
	return minified("styles.css", string(css), api.LoaderCSS, write)
}

func copies() error {
	for to, from := range map[string]string{
		"index.html": "web/ui/index.html", "icon.svg": "web/ui/icon.svg", "manifest.webmanifest": "web/ui/manifest.webmanifest",
		"embed.html": "web/embed.html", "embed.js": "web/embed.js",
	} {
		data, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if to == "index.html" {
			if data, err = preloading(data); err != nil {
				return err
			}
		}
		if err := write(to, data); err != nil {
			return err
		}
	}
	return nil
}

// example describes an example project as the page offers it. web/examples.json lists them
// in order.
type example struct {
	Name   string   `json:"name"`
	Title  string   `json:"title"`
	About  string   `json:"about"`
	Model  string   `json:"model,omitempty"`
	Inputs []string `json:"inputs,omitempty"`
}

// examples packs the projects of examples/ that web/examples.json names.
func examples() error {
	raw, err := os.ReadFile("web/examples.json")
	if err != nil {
		return err
	}
	var list struct {
		Examples []example `json:"examples"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	for _, e := range list.Examples {
		data, err := workspace.Zip(afero.NewBasePathFs(afero.NewOsFs(), filepath.Join("examples", e.Name)), nil)
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		if err := write("examples/"+e.Name+".zip", data); err != nil {
			return err
		}
	}
	return write("examples/index.json", raw)
}

// schemaFiles writes the JSON Schemas of golem's files, which the editor uses for completion.
func schemaFiles() error {
	names, err := filepath.Glob("docs/schemas/*.schema.json")
	if err != nil {
		return err
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := json.Compact(&b, data); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := write("schemas/"+filepath.Base(name), b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// tell prints the files that were made and their sizes, and the size of the scripts that the
// page loads at its start.
func tell() error {
	var script int
	first, err := static("app.js")
	if err != nil {
		return err
	}
	first = append(first, "app.js", "golem.js", "golem-worker.js")
	entries, err := os.ReadDir(dist)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dist, e.Name()))
		if err != nil {
			return err
		}
		packed, err := squeezed(data)
		if err != nil {
			return err
		}
		if slices.Contains(first, e.Name()) {
			script += len(packed)
		}
		fmt.Printf("  %9d  %9d gzip  %s\n", len(data), len(packed), e.Name())
	}
	fmt.Printf("page script before the editor: %d bytes gzip\n", script)
	return nil
}
