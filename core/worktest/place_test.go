package worktest

import (
	"bytes"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

// No file of tests is passed over: not one that is empty, cut off or too large. A YAML file
// that is something else is.
func TestFilesOfTestsAreFound(t *testing.T) {
	good := "test: 1\ncases: [{name: a, input: x}]\n"
	found := Find(fstest.MapFS{
		"tests/big.yaml":   {Data: bytes.Repeat([]byte("#"), MaxFile+1)},
		"tests/cut.yaml":   {Data: []byte(good[:len(good)-8])},
		"tests/empty.yaml": {},
		"tests/good.yaml":  {Data: []byte(good)},
		"tests/data.yaml":  {Data: []byte("owls: 3\n")},
		"tests/later.yml":  {Data: []byte("# cases come\n")},
		"tests/D.YAML":     {Data: []byte(good)},
		"tests/DATA.YAML":  {Data: []byte("owls: 3\n")},
		"tests/pipe.yaml":  {Mode: fs.ModeNamedPipe},
		"tests/pipe":       {Mode: fs.ModeNamedPipe},
	})
	if len(found.Files) != 1 || found.Files[0].Path != "tests/good.yaml" {
		t.Errorf("read %v", found.Files)
	}
	want := []string{"tests/D.YAML: E_PATH: golem runs the tests of files in .yaml and .yml", "tests/big.yaml:", "tests/cut.yaml:", "tests/empty.yaml:", "tests/later.yml:", "tests/pipe.yaml: E_PATH: it is not a regular file"}
	for i, f := range found.Faults {
		if text := f.Error(); i >= len(want) || !bytes.HasPrefix([]byte(text), []byte(want[i])) {
			t.Errorf("fault %d: %s", i, text)
		}
	}
	if len(found.Faults) != len(want) {
		t.Errorf("%d faults, want %d", len(found.Faults), len(want))
	}
}

// Two files that would share their recordings are faults that name both, and neither is run.
func TestFilesThatShareRecordings(t *testing.T) {
	good := &fstest.MapFile{Data: []byte("test: 1\ncases: [{name: a, input: x}]\n")}
	found := Find(fstest.MapFS{
		"tests/a.yaml": good, "tests/a.yml": good, "tests/b.yaml": good, "tests/sub/a.yaml": good,
		"tests/models.yaml": {Data: []byte("test: 1\nmodel: [openai:m-1, openai:m.1]\ncases: [{name: a, input: x}]\n")},
	})
	want := []string{
		"tests/a.yaml: E_CONFIG: tests/a.yaml and tests/a.yml have the same directory of recordings, tests/recordings/a (rename one of them)",
		"tests/a.yml: E_CONFIG: tests/a.yaml and tests/a.yml have the same",
		"tests/models.yaml:2:8: E_CONFIG: the models openai:m-1 and openai:m.1 have the same recordings (remove one of them, or write it into a file of its own)",
	}
	for i, f := range found.Faults {
		if i >= len(want) || !strings.HasPrefix(f.Error(), want[i]) {
			t.Errorf("fault %d: %s", i, f)
		}
	}
	if len(found.Faults) != len(want) || len(found.Files) != 2 || found.Files[0].Path != "tests/b.yaml" || found.Files[1].Path != "tests/sub/a.yaml" {
		t.Errorf("%d faults; read %v", len(found.Faults), found.Files)
	}
}

// A link in the place of evals is named.
func TestLinkedEvalsAreNamed(t *testing.T) {
	found := Find(fstest.MapFS{"evals/evals.json": {Mode: fs.ModeSymlink, Data: []byte("x.json")}})
	if len(found.Faults) != 1 || !strings.HasPrefix(found.Faults[0].Error(), "evals/evals.json: E_PATH: warning: golem follows no link to evals") {
		t.Errorf("%v", found.Faults)
	}
}
