package docs_test

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"golem/core/builtin"
	"golem/core/project"
	"golem/core/project/check"
)

// TestManifestOfTheProjectsPage tests that the manifest in projects.md is one, and that a worker has
// what it says.
func TestManifestOfTheProjectsPage(t *testing.T) {
	_, after, _ := strings.Cut(page(t, "projects.md"), "## The manifest")
	manifest := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(after)
	if manifest == nil {
		t.Fatal("projects.md shows no manifest")
	}
	files := fstest.MapFS{
		"input/notes.txt": {}, "output/x": {}, "project.yaml": {Data: []byte(manifest[1])},
		"main.worker": {Data: []byte("---\ntoolsets: {filesystem: {}}\n---\nHello\n")},
	}
	p, err := project.Load(project.Setup{FS: files, Name: "cafe"})
	if err != nil {
		t.Fatal(err)
	}
	if faults := check.Project(p, "", nil); len(faults) > 0 {
		t.Error(faults)
	}
	w, err := p.Workers.Find("main")
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
