package toolhost_test

import (
	"errors"
	"io/fs"
	"testing"

	"golem/cmd/cli/toolhost"
	"golem/core/sandbox"
	"golem/core/state"
)

// ending is a tree in which all changes fail after some, as if golem was killed.
type ending struct {
	sandbox.FS
	left int
}

func (e *ending) WriteFile(name string, data []byte) error {
	if e.left--; e.left < 0 {
		return errors.New("killed")
	}
	return e.FS.WriteFile(name, data)
}

// SECURITY 14: a replacement of tool modules that was killed after its journal was written is
// finished by the next golem of this machine, and by none whose state has another key or place.
func TestReplacementIsFinished(t *testing.T) {
	files := sandbox.Memory()
	store := state.Memory(sandbox.Memory())
	now := map[string][]byte{"tools/a.wasm": []byte("module"), "tools.lock": []byte("lock")}
	if err := toolhost.Replace(t.Context(), &store, &ending{files, 4}, now); err == nil { // two contents, the journal, one file
		t.Fatal("it was not stopped")
	}
	elsewhere := store
	elsewhere.Project = "/elsewhere"
	if err := toolhost.Recover(&elsewhere, files); err != nil {
		t.Fatal(err)
	}
	if _, err := fs.Stat(files, "tools/a.wasm"); err == nil {
		t.Error("a journal of another place is acted on")
	}
	if err := toolhost.Recover(&store, files); err != nil {
		t.Fatal(err)
	}
	for name, want := range now {
		if data, err := fs.ReadFile(files, name); err != nil || string(data) != string(want) {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if _, err := fs.Stat(files, ".golem/replacing"); err == nil {
		t.Error("the journal is still there")
	}
}
