package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// pageIsThere fails if the page was not built, or not as this version.
func (o options) pageIsThere() error {
	f, err := os.Open("web/dist/golem.wasm.gz")
	if errors.Is(err, os.ErrNotExist) {
		return errors.New("the page is not built: make web")
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := os.Stat("web/embedded/page.zip.zst"); err != nil {
		return errors.New("the page is not built: make web")
	}
	if o.anyPage {
		return nil
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	program, err := io.ReadAll(z)
	if err == nil && (!bytes.Contains(program, []byte(o.version)) || !bytes.Contains(program, []byte(o.commit))) {
		err = fmt.Errorf("the page in web/dist was built for another version or commit: make web VERSION=%s", o.version)
	}
	return err
}

// npm writes the npm package of golem.js: web/package.json with the release's version, without
// what only golem's own checkout needs, and with the notices.
func (o options) npm(work string, page []component) error {
	dir := filepath.Join(work, "npm")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	names, err := filepath.Glob("web/*.d.ts")
	if err != nil {
		return err
	}
	examples, err := filepath.Glob("web/examples/*/*.*")
	if err != nil {
		return err
	}
	for _, name := range slices.Concat(names, examples, []string{"web/examples/ask.html", "web/LICENSE", "web/README.md"}) {
		to := filepath.Join(dir, strings.TrimPrefix(filepath.ToSlash(name), "web/"))
		data, err := os.ReadFile(name)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o755)
		}
		if err == nil {
			err = os.WriteFile(to, data, 0o644)
		}
		if err != nil {
			return err
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "dist"), os.DirFS("web/dist")); err != nil {
		return err
	}
	library := contents{of: map[string][]string{}}
	library.add("The programs of golem.js", withoutScripts(page)...)
	notices, err := library.notices()
	if err != nil {
		return err
	}
	about, err := o.manifest()
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{"NOTICES.txt": notices, "package.json": about} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	out, err := filepath.Abs(o.out)
	if err != nil {
		return err
	}
	cmd := exec.Command("npm", "pack", "--silent", "--ignore-scripts", "--offline", "--pack-destination", out)
	cmd.Dir = dir
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm pack: %w\n%s", err, said)
	}
	return nil
}

// withoutScripts leaves out the packages of the page's own scripts: golem.js has none of them.
func withoutScripts(page []component) []component {
	var out []component
	for _, c := range page {
		if c.kind != "npm" || c.name == "@babel/parser" {
			out = append(out, c)
		}
	}
	return out
}

// manifest returns the package.json of the release. Its members keep their order.
func (o options) manifest() ([]byte, error) {
	data, err := os.ReadFile("web/package.json")
	if err != nil {
		return nil, err
	}
	var in struct {
		Name        string          `json:"name"`
		Version     string          `json:"version"`
		Type        string          `json:"type"`
		Description string          `json:"description"`
		License     string          `json:"license"`
		Author      string          `json:"author"`
		Types       string          `json:"types"`
		Exports     json.RawMessage `json:"exports"`
		Files       []string        `json:"files"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, fmt.Errorf("web/package.json: %w", err)
	}
	in.Version = strings.TrimPrefix(o.version, "v")
	in.Description = "golem in a web page: runs LLM workers in the tab, without a backend"
	in.Files = append(in.Files, "NOTICES.txt")
	out, err := json.MarshalIndent(in, "", "  ")
	return append(out, '\n'), err
}
