package main

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/jsonschema-go/jsonschema"
)

// complains looks for files that are missing or too many.
func complains(t *testing.T, files fstest.MapFS, root string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(root, "golem"), "--help")
	cmd.Env = []string{"HOME=" + t.TempDir()}
	help, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^  ([a-z]+) {2,}`).FindAllStringSubmatch(string(help), -1)
	if len(commands) < 20 {
		t.Errorf("golem --help lists %d commands:\n%s", len(commands), help)
	}
	want := []string{"LICENSE", "NOTICES.txt", "README.md", "completions/_golem", "completions/golem.bash", "completions/golem.fish", "completions/golem.ps1", "golem", "golem-queue", "man/man1/golem.1", "sbom.cdx.json"}
	for _, c := range commands {
		want = append(want, "man/man1/golem-"+c[1]+".1")
	}
	for _, name := range want {
		if files[name] == nil && name != "man/man1/golem-help.1" {
			t.Errorf("the archive lacks %s", name)
		}
	}
	for name, f := range files {
		if !slices.Contains(want, name) && path.Dir(name) != "man/man1" {
			t.Errorf("the archive has %s", name)
		}
		if runs := name == "golem" || name == "golem-queue"; runs != (f.Mode == 0o755) {
			t.Errorf("%s has the mode %o", name, f.Mode)
		}
	}
}

// bills are what a test reads of a bill of materials.
type bills struct {
	Components []struct {
		Name, Version string
		Ref           string `json:"bom-ref"`
		Type          string
	}
	Dependencies []struct {
		Ref       string
		DependsOn []string
	}
}

func (b bills) of(program string) []string {
	for _, d := range b.Dependencies {
		if d.Ref == program {
			return d.DependsOn
		}
	}
	return nil
}

// billOf reads a bill of materials, and validates it with the JSON Schema of CycloneDX.
func billOf(t *testing.T, data []byte) bills {
	t.Helper()
	dir, err := output("go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go")
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) (*jsonschema.Schema, error) {
		text, err := os.ReadFile(filepath.Join(dir, "schema", name))
		if err != nil {
			return nil, err
		}
		// Go's regular expressions have no look-ahead; golem writes none of these values.
		text = regexp.MustCompile(`"pattern": "[^"]*\(\?[!=][^"]*",?`).ReplaceAll(text, []byte(`"title": "",`))
		s := new(jsonschema.Schema)
		return s, json.Unmarshal(text, s)
	}
	schema, err := read("bom-1.6.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(&jsonschema.ResolveOptions{Loader: func(at *url.URL) (*jsonschema.Schema, error) {
		return read(strings.Replace(path.Base(at.Path), "jsf-0.82.schema.json", "jsf-0.82.schemax.json", 1)) // as the module names it
	}})
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(value); err != nil {
		t.Errorf("the bill of materials: %v", err)
	}
	var b bills
	if err := json.Unmarshal(data, &b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"pkg:npm/preact@", "pkg:npm/%40babel/parser@", "pkg:generic/QuickJS-NG@", "pkg:generic/wasi-libc@", "pkg:golang/std@"} {
		if !slices.ContainsFunc(b.of("page"), func(ref string) bool { return strings.HasPrefix(ref, want) }) {
			t.Errorf("the page contains no %s…: %q", want, b.of("page"))
		}
	}
	return b
}

// noticed tests that the notices have every component with a license.
func noticed(t *testing.T, notices []byte, b bills) {
	t.Helper()
	libraries := 0
	for _, c := range b.Components {
		if c.Type != "library" {
			continue
		}
		libraries++
		if !bytes.Contains(notices, []byte("\n"+c.Name+" "+c.Version+" (")) {
			t.Errorf("NOTICES.txt does not name %s %s", c.Name, c.Version)
		}
	}
	if libraries < 50 {
		t.Errorf("only %d components", libraries)
	}
	for _, want := range []string{"Permission is hereby granted", "Redistribution and use in source and binary forms", "Apache License\n", "Mozilla Public License", "Copyright 2009 The Go Authors"} {
		if !bytes.Contains(notices, []byte(want)) {
			t.Errorf("NOTICES.txt has no %q", want)
		}
	}
}

// ofNPM looks at the npm package.
func ofNPM(t *testing.T, files fstest.MapFS) {
	var about struct {
		Version string
		Private bool
		Files   []string
		Types   string
		Exports map[string]json.RawMessage
		Dev     map[string]string `json:"devDependencies"`
	}
	if err := json.Unmarshal(files["package.json"].Data, &about); err != nil {
		t.Fatal(err)
	}
	if about.Version != "0.0.1-test.1" || about.Private || len(about.Dev) > 0 || len(about.Exports) == 0 || files[strings.TrimPrefix(about.Types, "./")] == nil {
		t.Errorf("package.json: %+v", about)
	}
	for _, pattern := range append(about.Files, "NOTICES.txt") {
		if !slices.ContainsFunc(names(files), func(name string) bool { ok, err := path.Match(pattern, name); return ok && err == nil }) {
			t.Errorf("the package has no %s", pattern)
		}
	}
	if notices := string(files["NOTICES.txt"].Data); !strings.Contains(notices, "\nQuickJS-NG ") || !strings.Contains(notices, "\ngopkg.in/yaml.v3 ") || strings.Contains(notices, "\npreact ") {
		t.Errorf("NOTICES.txt of the package:\n%s", notices)
	}
}

func names(files fstest.MapFS) []string {
	var all []string
	for name := range files {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
