package machine

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golem/core/project"
	"golem/core/workspace"
	"golem/sandbox/osfs"
)

// A project that is opened while golem lib update replaces its library always finds its
// worker, the old or the new one. A run that began before the update goes on with the old
// files, which only the next change removes.
func TestLibraryIsThereWhileItIsUpdated(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "project.yaml"), []byte("model: script:x.yaml\nname: pp\ndependencies: [utils]\nentry: utils:a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	shelf, err := osfs.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	defer shelf.Close()
	libs := workspace.Libraries{Root: workspace.Over(shelf)}
	content := func(n int) workspace.Content {
		c, err := workspace.FilesContent(map[string][]byte{"lib.yaml": []byte("name: utils\nversion: 1.0.0\n"), "workers/a.worker": fmt.Appendf(nil, "---\n---\nVersion %d.\n", n)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if _, _, err := libs.Install(content(0), workspace.Origin{}); err != nil {
		t.Fatal(err)
	}
	open := func() *project.Project {
		files, err := osfs.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		reader, err := osfs.Open(home)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { files.Close(); reader.Close() })
		p, err := project.Load(project.Setup{FS: files, Libraries: []project.LibraryRoot{{Label: "libs", FS: standing{reader}}}})
		if err != nil {
			t.Error(err)
		}
		return p
	}
	for n := 1; n <= 100; n++ {
		done := make(chan error, 1)
		go func() {
			_, _, _, err := libs.Update("", content(n), workspace.Origin{})
			done <- err
		}()
		w, err := open().Workers.Entry()
		if err != nil || w.Instructions == "" {
			t.Errorf("project %d: %v", n, err)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
}

// A library whose update was killed between its renames is read from where it was moved.
func TestLibraryThatWasMovedAway(t *testing.T) {
	home := t.TempDir()
	at := filepath.Join(home, workspace.MovedAway+"utils")
	if err := os.Mkdir(at, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(at, "lib.yaml"), []byte("name: utils\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	shelf, err := osfs.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	defer shelf.Close()
	s := standing{shelf}
	entries, err := fs.ReadDir(s, ".")
	if err != nil || len(entries) != 2 || entries[1].Name() != "utils" {
		t.Errorf("%v, %v", entries, err)
	}
	if data, err := fs.ReadFile(s, "utils/lib.yaml"); err != nil || string(data) != "name: utils\n" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := s.SubFS("utils"); err != nil {
		t.Error(err)
	}
	if _, err := fs.Stat(s, "other"); err == nil {
		t.Error("a library that does not exist was found")
	}
}
