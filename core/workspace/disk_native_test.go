//go:build unix

package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"golem/core/workspace"
	"golem/sandbox/osfs"
)

// On a disk an archive is unpacked only into its directory, even if there are links
// that lead out. afero.BasePathFs would follow them.
func TestUnzipOnDiskFollowsNoLinks(t *testing.T) {
	top := t.TempDir()
	dir, outside := filepath.Join(top, "in"), filepath.Join(top, "outside")
	for _, d := range []string{dir, outside} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"link": outside, "relative": "../outside", "file": filepath.Join(outside, "file")} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := osfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, name := range []string{"link/a", "relative/a", "file", "x/../link/a"} {
		if err := workspace.Unzip(workspace.Over(f), pack(t, entry{name: "fine", data: "1"}, entry{name: name, data: "evil"})); err == nil {
			t.Errorf("%s was taken in", name)
		}
		if _, err := os.Lstat(filepath.Join(dir, "fine")); err == nil {
			t.Errorf("%s: something was written", name)
		}
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("the outside holds %v, %v", left, err)
	}
	if err := workspace.Unzip(workspace.Over(f), pack(t, entry{name: "a", data: "1"}, entry{name: "d/b", data: "2"})); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "d", "b")); err != nil || string(data) != "2" {
		t.Errorf("%q, %v", data, err)
	}
}
