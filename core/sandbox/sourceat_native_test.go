//go:build !js

package sandbox_test

import (
	"os"
	"path/filepath"
	"testing"

	"golem/core/sandbox"
	"golem/sandbox/osfs"
)

// SourceAt is the inverse of NameOf, and knows nothing of links, of files outside the mounts and
// of trees without a place.
func TestSourceAt(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"src/a.txt", "other.txt"} {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err = os.MkdirAll(filepath.Dir(at), 0o755); err == nil {
			err = os.WriteFile(at, nil, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a.txt", filepath.Join(dir, "src", "link.txt")); err != nil {
		t.Fatal(err)
	}
	files, err := osfs.Open(filepath.Join(dir, "src"))
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	view, err := sandbox.View(sandbox.ViewSpec{Mounts: []sandbox.Mount{{Name: "src", At: "in", FS: files, Source: sandbox.SourceOf(files, ""), Mode: sandbox.ReadWrite}}})
	if err != nil {
		t.Fatal(err)
	}
	src := filepath.ToSlash(filepath.Join(dir, "src"))
	for name, want := range map[string]string{
		"in/a.txt": src + "/a.txt", "in/new.txt": src + "/new.txt", "in/link.txt": "", "other.txt": "", "in/../other.txt": "", ".": "", "": "",
	} {
		if got := sandbox.SourceAt(view, name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
		if back, ok := sandbox.NameOf(view, want); want != "" && (!ok || back != name) {
			t.Errorf("%q: back %q", name, back)
		}
	}
	if got := sandbox.SourceAt(sandbox.Memory(), "a"); got != "" {
		t.Errorf("%q", got)
	}
}
