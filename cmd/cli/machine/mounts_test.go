package machine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sandbox/sandboxtest"
	"golem/sandbox/osfs"
)

func openDir(t *testing.T, dir string) *osfs.FS {
	t.Helper()
	fsys, err := osfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { fsys.Close() })
	return fsys
}

// A directory that does not exist yet behaves like any other file system.
func TestLazyDirConforms(t *testing.T) {
	sandboxtest.Test(t, func(t *testing.T) sandbox.FS {
		return sandbox.Lazy(openDir(t, t.TempDir()), "a/b")
	})
}

func TestLazyDirIsMadeByTheFirstWriteOnly(t *testing.T) {
	root := t.TempDir()
	dir := sandbox.Lazy(openDir(t, root), "out")
	if list, err := fs.ReadDir(dir, "."); err != nil || len(list) != 0 {
		t.Error(list, err)
	}
	if err := dir.Remove("x"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(root, "out")); !errors.Is(err, os.ErrNotExist) {
		t.Error("it was made by reading")
	}
	if err := dir.WriteFile("x", []byte("1")); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(root, "out", "x")); err != nil || string(data) != "1" {
		t.Error(data, err)
	}
}

func TestMountsStayInTheProject(t *testing.T) {
	root := t.TempDir()
	files := openDir(t, root)
	mount := mounter(files, root, false)
	for _, source := range []string{"..", "../x", "/etc", "a/../../x"} {
		if _, err := mount(source); !errors.Is(err, fault.Path) {
			t.Errorf("%s: %v", source, err)
		}
	}
	if runtime.GOOS != "windows" {
		if err := os.Symlink("/etc", filepath.Join(root, "link")); err != nil {
			t.Fatal(err)
		}
		if fsys, err := mount("link"); err == nil {
			t.Errorf("a link led out: %v", fsys)
		}
	}
	if fsys, err := mounter(files, root, true)(filepath.ToSlash(t.TempDir())); err != nil || fsys == nil {
		t.Error(err)
	}
}
