//go:build !js

package web_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golem/web/webtest"
)

// npmPack runs npm pack in web/ and returns the path of the package file.
func npmPack(t *testing.T) string {
	t.Helper()
	built(t)
	dir := t.TempDir()
	cmd := exec.Command("npm", "pack", "--silent", "--ignore-scripts", "--offline", "--pack-destination", dir)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm pack: %v\n%s", err, said)
	}
	return filepath.Join(dir, "golem-0.0.0.tgz")
}

// npmPacked returns the files of the package that npm pack makes, by path in the package.
func npmPacked(t *testing.T) fstest.MapFS {
	t.Helper()
	file, err := os.Open(npmPack(t))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(h.Name, "package/")] = &fstest.MapFile{Data: data}
	}
}

// late finds the digest in the name of a file that loads later.
var late = regexp.MustCompile(`-[0-9a-f]{20}\.`)

// TestPackage tests the npm package of golem.js: it has the files that a page needs, with the
// types and examples, and depends on no other package. The page of ten lines in docs/web/providing.md
// runs with it, and so does the example that asks.
func TestPackage(t *testing.T) {
	t.Parallel()
	files := npmPacked(t)
	var names []string
	site := fstest.MapFS{}
	for name, f := range files {
		names = append(names, late.ReplaceAllString(name, "-DIGEST."))
		site["node_modules/golem/"+name] = f
	}
	slices.Sort(names)
	if got, want := strings.Join(names, " "), "LICENSE README.md dist/golem-provide-DIGEST.js dist/golem-tool-DIGEST.js dist/golem-wazero-DIGEST.js dist/golem-wazero-DIGEST.wasm.gz dist/golem-worker.js dist/golem.js dist/golem.wasm.gz dist/javascript-DIGEST.wasm.gz dist/javascript-linker-DIGEST.bin.gz dist/repository-DIGEST.wasm.gz examples/ask.html examples/vite/app.jsx examples/vite/index.html examples/vite/package.json examples/vite/react.html examples/vite/vite.config.js golem-batches.d.ts golem-events.d.ts golem-options.d.ts golem-projects.d.ts golem-provide.d.ts golem-reports.d.ts golem-results.d.ts golem-values.d.ts golem.d.ts package.json"; got != want {
		t.Errorf("the package has %s, want %s", got, want)
	}
	license, err := os.ReadFile("../LICENSE")
	if err != nil || !bytes.Equal(files["LICENSE"].Data, license) {
		t.Errorf("the package does not have golem's license: %v", err)
	}
	var about struct {
		License      string                     `json:"license"`
		Types        string                     `json:"types"`
		Exports      map[string]json.RawMessage `json:"exports"`
		Dependencies map[string]json.RawMessage `json:"dependencies"`
	}
	if err := json.Unmarshal(files["package.json"].Data, &about); err != nil {
		t.Fatal(err)
	}
	var main struct{ Types, Default string }
	if err := json.Unmarshal(about.Exports["."], &main); err != nil {
		t.Fatal(err)
	}
	if about.License != "MIT" {
		t.Errorf("package.json has the license %q", about.License)
	}
	if len(about.Dependencies) > 0 {
		t.Errorf("whoever installs golem gets %d other packages", len(about.Dependencies))
	}
	for _, name := range []string{about.Types, main.Types, main.Default} {
		if files[strings.TrimPrefix(name, "./")] == nil {
			t.Errorf("package.json names %s, which is not in the package", name)
		}
	}
	ten, err := os.ReadFile("ten.html")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/web/providing.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(page, []byte("```html\n"+string(ten)+"```\n")) {
		t.Error("docs/web/providing.md does not show web/ten.html as it is")
	}
	site["index.html"], site["favicon.ico"] = &fstest.MapFile{Data: ten}, &fstest.MapFile{}
	p := browserOf(t).Open(t, webtest.Serve(t, site, "/").URL)
	got := webtest.Eval[string](p, `new Promise((resolve) => { const look = () => out.textContent.endsWith('worker.') ? resolve(out.textContent) : setTimeout(look, 20); look() })`)
	if got != "Hello from a worker." {
		t.Errorf("the page shows %q", got)
	}
	for answer, want := range map[string]string{"yes": "write_file: ok. That was all.", "no": "write_file: denied. That was all."} {
		site["index.html"] = files["examples/ask.html"]
		p := browserOf(t).Open(t, webtest.Serve(t, site, "/").URL)
		got := webtest.Eval[string](p, `(async () => { const until = (look) => new Promise((resolve) => { const again = () => look() ? resolve(look()) : setTimeout(again, 20); again() }), at = (id) => document.getElementById(id);
			await until(() => at('go').onclick); at('go').click(); await until(() => at('question').open && at('what').textContent.includes('main wants to call write_file') && at('what').textContent.includes('buy tea')); at('`+answer+`').click(); return until(() => at('out').textContent.endsWith('all.') && at('out').textContent) })()`)
		if got != want {
			t.Errorf("after %s the example that asks shows %q, want %q", answer, got, want)
		}
	}
}

// TestVite installs the package into a small Vite project, builds it and runs its two pages:
// the one of ten lines, and one with React that has a model, a tool and an approver of the
// page.
func TestVite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("examples/vite")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"npm", "install", "--silent", "--offline", "--no-save", "--ignore-scripts", npmPack(t)},
		{"node", "node_modules/vite/bin/vite.js", "build", "--logLevel", "error"},
	} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, said)
		}
	}
	site := webtest.Serve(t, os.DirFS(filepath.Join(dir, "dist")), "/")
	p := browserOf(t).Open(t, site.URL+"index.html")
	const until = `const until = (look) => new Promise((resolve) => { const again = () => look() ? resolve(look()) : setTimeout(again, 20); again() }), at = (id) => document.getElementById(id);`
	if got := webtest.Eval[string](p, `(async () => { `+until+` return until(() => at('out').textContent) })()`); got != "HELLO" {
		t.Errorf("the page of ten lines shows %q", got)
	}
	p = browserOf(t).Open(t, site.URL+"react.html")
	got := webtest.Eval[string](p, `(async () => { `+until+` (await until(() => at('sell'))).click(); (await until(() => at('yes'))).click(); return await until(() => at('out').textContent) + ', ' + await until(() => at('sold').textContent) })()`)
	if got != "sold: tea, tea" {
		t.Errorf("the page with React shows %q", got)
	}
}
