//go:build unix

package osfs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"golem/core/sandbox"
)

// swapped calls use while another goroutine keeps replacing "real", a directory in
// dir, by a link to target and back. use must run until enough returns true, and
// until it has tried enough itself. Both are counts and not times, so that a busy
// machine tries as much.
func swapped(t *testing.T, dir, target string, use func(enough func() bool)) {
	t.Helper()
	at := func(n string) string { return filepath.Join(dir, n) }
	must(t, os.Symlink(target, at("link")))
	stop := make(chan struct{})
	var attacker sync.WaitGroup
	var swaps atomic.Int64
	attacker.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(at("real"), at("away")) // may fail because of use; only real swaps are counted
			if os.Rename(at("link"), at("real")) == nil {
				swaps.Add(1)
				_ = os.Rename(at("real"), at("link"))
			}
			if os.Rename(at("away"), at("real")) != nil {
				_ = os.RemoveAll(at("real")) // use has created it again
				_ = os.Rename(at("away"), at("real"))
			}
		}
	})
	use(func() bool { return swaps.Load() >= 1000 })
	close(stop)
	attacker.Wait()
}

// SECURITY 2, 4: a link that replaces a directory during an operation does not lead
// to protected files either, although they are inside the mount.
func TestSwappingLinkToProtected(t *testing.T) {
	for kind, wrap := range map[string]func(sandbox.FS) sandbox.FS{
		"disk": func(f sandbox.FS) sandbox.FS { return f }, "overlay": sandbox.Overlay,
	} {
		dir, _ := host(t, "real/config", "real/deep/x", ".git/config", ".git/deep/secret")
		v := whole(t, wrap(open(t, dir)))
		fine := 0
		swapped(t, dir, ".git", func(enough func() bool) {
			for fine < 20 || !enough() {
				if data, err := fs.ReadFile(v, "real/config"); err == nil {
					fine++
					if string(data) != "real/config" {
						t.Errorf("%s: read %s", kind, data)
						return
					}
				}
				entries, err := fs.ReadDir(v, "real/deep")
				for _, e := range entries {
					if e.Name() == "secret" {
						t.Errorf("%s: listed what is unreadable, %v", kind, err)
						return
					}
				}
				if info, err := fs.Stat(v, "real/config"); err == nil && info.Size() != int64(len("real/config")) {
					t.Errorf("%s: described what is unreadable", kind)
					return
				}
			}
		})
	}
}

// SPEC §8: nothing is written, moved or removed through a link, even if it replaces
// a directory during the operation. The tree itself ensures this, without a view.
func TestSwappingLinkIsNotWrittenThrough(t *testing.T) {
	dir, _ := host(t, "real/a", "workers/w.md", "spare")
	f := open(t, dir)
	done := 0
	swapped(t, dir, "workers", func(enough func() bool) {
		for done < 20 || !enough() {
			for _, err := range []error{
				f.Mkdir("real/d", 0o755), f.Rename("spare", "real/spare"), f.Rename("real/spare", "spare"), f.Remove("real/w.md"),
				f.Rename("real/w.md", "spare2"), f.Remove("real/d"), f.WriteFile("real/deep/er", nil), f.Remove("real/deep/er"), f.Remove("real/deep"),
			} {
				if err == nil {
					done++
				}
			}
			entries, err := os.ReadDir(filepath.Join(dir, "workers"))
			if err != nil || len(entries) != 1 || entries[0].Name() != "w.md" {
				t.Errorf("workers holds %v, %v", entries, err)
				return
			}
			if _, err := os.Lstat(filepath.Join(dir, "spare")); err != nil {
				_ = os.WriteFile(filepath.Join(dir, "spare"), nil, 0o644)
			}
		}
	})
}
