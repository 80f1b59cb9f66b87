package wazeroengine

import (
	"testing"

	"github.com/tetratelabs/wazero/experimental/sys"

	"golem/core/fault"
	"golem/core/sandbox"
)

// Files are reached as bare wazero reaches them: also below a root that the program opened,
// whose paths wazero writes with a leading slash. A directory replaces an empty one, and a
// slash at the end names only a directory.
func TestWASIPaths(t *testing.T) {
	files := sandbox.Memory()
	for _, name := range []string{"d/a.txt", "full/x", "b.txt"} {
		if err := files.WriteFile(name, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"empty", "other"} {
		if err := files.Mkdir(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	f := newWasiFS(files, func(fault *fault.Fault) { t.Error(fault) })
	for _, name := range []string{"/d/a.txt", "./d/a.txt", "d/a.txt", "/", "d/"} {
		if _, errno := f.Stat(name); errno != 0 {
			t.Errorf("%s: %v", name, errno)
		}
	}
	for _, c := range []struct {
		what      string
		got, want sys.Errno
	}{
		{"//d", statErrno(f, "//d"), sys.EPERM},
		{"/../d", statErrno(f, "/../d"), sys.EPERM},
		{"..", statErrno(f, ".."), sys.EPERM},
		{"unlink b.txt/", f.Unlink("b.txt/"), sys.ENOTDIR},
		{"unlink none/", f.Unlink("none/"), sys.ENOENT},
		{"unlink empty/", f.Unlink("empty/"), sys.EISDIR},
		{"empty over other", f.Rename("empty", "other"), 0},
		{"empty is gone", statErrno(f, "empty"), sys.ENOENT},
		{"d over full", f.Rename("d", "full"), sys.ENOTEMPTY},
		{"d over a file", f.Rename("d", "b.txt"), sys.ENOTDIR},
		{"a file over d", f.Rename("b.txt", "d"), sys.EISDIR},
		{"d over other", f.Rename("d", "other"), 0},
		{"what was below d", statErrno(f, "other/a.txt"), 0},
		{"none over anything", f.Rename("none", "b.txt"), sys.ENOENT},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
}

func statErrno(f *wasiFS, name string) sys.Errno {
	_, errno := f.Stat(name)
	return errno
}
