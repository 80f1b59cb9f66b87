package docs_test

import (
	"os"
	"regexp"
	"testing"
	"testing/fstest"

	"golem/core/project"
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
	p, err := project.Load(project.Source{FS: files, Name: "minutes"})
	if err != nil {
		t.Fatal(err)
	}
	if faults := p.Check(""); len(faults) > 0 {
		t.Error(faults)
	}
	w, err := p.Worker("shorten")
	if err != nil || len(w.Sandbox.Mounts) != 2 {
		t.Errorf("%v: %v", w, err)
	}
}
