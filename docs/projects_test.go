package docs_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"golem/core/builtin"
	"golem/core/project"
	"golem/core/project/check"
)

// TestProjectOfTenMinutes tests that the worker files and the manifest in projects.md make a
// project without faults.
func TestProjectOfTenMinutes(t *testing.T) {
	text, err := os.ReadFile("projects.md")
	if err != nil {
		t.Fatal(err)
	}
	workers := regexp.MustCompile("(?s)`minutes/([a-z./]+)`[^\n]*\n\n```\n(.*?)```").FindAllSubmatch(text, -1)
	manifest := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindSubmatch(text)
	if len(workers) != 2 || manifest == nil {
		t.Fatalf("%d workers, manifest %v", len(workers), manifest != nil)
	}
	files := fstest.MapFS{"input/notes.txt": {}, "output/x": {}, "project.yaml": {Data: manifest[1]}}
	for _, w := range workers {
		files[string(w[1])] = &fstest.MapFile{Data: w[2]}
	}
	p, err := project.Load(project.Setup{FS: files, Name: "minutes"})
	if err != nil {
		t.Fatal(err)
	}
	if faults := check.Project(p, "", nil); len(faults) > 0 {
		t.Error(faults)
	}
	w, err := p.Workers.Find("shorten")
	if err != nil || len(w.Sandbox.Mounts) != 2 {
		t.Errorf("%v: %v", w, err)
	}
}

// TestTemplatesAskAfterUntrustedContent tests what rule 13 of threats.md says of the templates of
// golem init: those with a manifest have `approval: {taint: ask}`.
func TestTemplatesAskAfterUntrustedContent(t *testing.T) {
	if !strings.Contains(page(t, "internal/threats.md"), "(the templates with a manifest of `golem init` do)") {
		t.Error("threats.md does not speak of the templates")
	}
	names, err := fs.Glob(builtin.Projects(), "*/project.yaml")
	if err != nil || len(names) < 2 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(builtin.Projects(), name)
		if err != nil || !strings.Contains(string(data), "\napproval: {taint: ask}") {
			t.Errorf("%s: %v\n%s", name, err, data)
		}
	}
}
