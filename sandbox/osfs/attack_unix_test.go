//go:build unix

package osfs_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golem/core/sandbox"
)

// SECURITY 2: while a directory and a link to the outside are swapped again and
// again, no read, list, write, rename or removal reaches the outside.
func TestSwappingLink(t *testing.T) {
	dir, outside := host(t, "real/secret", "spare", "src/real/secret")
	base := open(t, dir)
	nested, err := base.SubFS("src")
	must(t, err)
	views := []sandbox.FS{base, whole(t, base), nested, whole(t, base, "src")}
	prefix := []string{"", "", "", "src/"}

	stop := make(chan struct{})
	var swaps, tries, inside atomic.Int64
	var attackers, users sync.WaitGroup
	for _, d := range []string{dir, filepath.Join(dir, "src")} {
		attackers.Go(func() {
			at := func(n string) string { return filepath.Join(d, n) }
			for {
				select {
				case <-stop:
					return
				default:
				}
				// the users create "real" again while it is away; RemoveAll does not follow a link
				_ = os.Rename(at("real"), at("x"))
				if os.Symlink(outside, at("real")) == nil {
					swaps.Add(1)
				}
				_ = os.Remove(at("real"))
				if os.Rename(at("x"), at("real")) != nil {
					_ = os.RemoveAll(at("real"))
					_ = os.Rename(at("x"), at("real"))
				}
			}
		})
	}
	// The end depends on counts, not on time, so that a busy machine tries as much.
	enough := func() bool { return swaps.Load() >= 2000 && tries.Load() >= 500 && inside.Load() >= 20 }
	for i, f := range views {
		users.Go(func() {
			real := prefix[i] + "real"
			for !enough() {
				tries.Add(1)
				if data, err := fs.ReadFile(f, real+"/secret"); err == nil {
					inside.Add(1)
					if string(data) == "secret" {
						t.Error("the outside was read")
						return
					}
				}
				entries, err := fs.ReadDir(f, real)
				for _, e := range entries {
					if e.Name() == "outside-only" {
						t.Errorf("the outside was listed: %v", err)
						return
					}
				}
				name := fmt.Sprintf("%s/w%d", real, i)
				_ = f.WriteFile(name, []byte("evil"))
				_ = f.Rename(name, name+"r")
				_ = f.Rename(prefix[i]+"spare", real+"/spare")
				_ = f.Mkdir(real+"/m", 0o755)
				_ = f.Remove(name + "r")
				_ = f.Remove(real + "/m")
				_ = f.Remove(real + "/outside-only")
			}
		})
	}
	put(t, filepath.Join(outside, "outside-only"), "x")
	users.Wait()
	close(stop)
	attackers.Wait()

	entries, err := os.ReadDir(outside)
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != "outside-only secret" {
		t.Errorf("the outside holds %s", got)
	}
	if data, err := os.ReadFile(filepath.Join(outside, "secret")); err != nil || string(data) != "secret" {
		t.Errorf("the secret is %q, %v", data, err)
	}
}
