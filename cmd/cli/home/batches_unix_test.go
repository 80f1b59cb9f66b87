//go:build unix

package home

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golem/core/batch"
	"golem/core/fault"
)

func newBatch(t *testing.T) (h *Home, dir string) {
	t.Helper()
	at := filepath.Join(t.TempDir(), "home")
	h = New(Env{"GOLEM_HOME": at}, t.TempDir(), nil, nil)
	store, err := h.Batch("b")
	if err != nil {
		t.Fatal(err)
	}
	q, err := batch.OpenLocal(&store, batch.Head{Name: "b", Out: "/tmp/out"})
	if err != nil {
		t.Fatal(err)
	}
	q.Close()
	return h, filepath.Join(at, "batches", "b")
}

// A batch in whose directory somebody else can write is E_TRUST: its head says what runs and
// where results go.
func TestBatchOfSomebodyElse(t *testing.T) {
	for name, attack := range map[string]func(t *testing.T, dir string){
		"anybody may write":         func(t *testing.T, dir string) { must(t, os.Chmod(dir, 0o777)) },
		"the group may write":       func(t *testing.T, dir string) { must(t, os.Chmod(dir, 0o770)) },
		"anybody may write batches": func(t *testing.T, dir string) { must(t, os.Chmod(filepath.Dir(dir), 0o777)) },
		"a link": func(t *testing.T, dir string) {
			must(t, os.Rename(dir, dir+".real"))
			must(t, os.Symlink(dir+".real", dir))
		},
		"batches is a link": func(t *testing.T, dir string) {
			must(t, os.Rename(filepath.Dir(dir), filepath.Dir(dir)+".real"))
			must(t, os.Symlink(filepath.Dir(dir)+".real", filepath.Dir(dir)))
		},
		"a file": func(t *testing.T, dir string) {
			must(t, os.RemoveAll(dir))
			must(t, os.WriteFile(dir, nil, 0o600))
		},
	} {
		h, dir := newBatch(t)
		attack(t, dir)
		if _, err := h.Batch("b"); !errors.Is(err, fault.Trust) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Files of a batch that are links are not followed: neither read, nor removed with the batch.
func TestBatchFilesAreLinks(t *testing.T) {
	for _, name := range []string{"batch.json", "items-1.jsonl", "pack.golem", "answers.jsonl"} {
		h, dir := newBatch(t)
		outside := filepath.Join(t.TempDir(), "outside")
		must(t, os.WriteFile(outside, []byte(`{"golem":"batch","v":1,"name":"b"}`), 0o600))
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		must(t, os.Symlink(outside, filepath.Join(dir, name)))
		store, err := h.Batch("b")
		must(t, err)
		if data, err := fs.ReadFile(store.Files, name); err == nil {
			t.Errorf("%s is read through a link: %q", name, data)
		}
		if err := batch.Remove(h, "b"); !errors.Is(err, fault.Path) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(outside); err != nil {
			t.Errorf("%s: the file behind the link is gone", name)
		}
	}
}

// What golem keeps of a packed project goes when no conversation is left, unless it was changed
// of late or somebody may have just begun one.
func TestSweepPacks(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	h := New(Env{"GOLEM_HOME": home}, t.TempDir(), nil, nil)
	old := time.Now().Add(-24 * time.Hour)
	for _, p := range []struct{ name, file string }{{"empty", ""}, {"used", "conversations/x.jsonl"}, {"locked", "locks/conversation-x"}, {"new", ""}} {
		dir := filepath.Join(home, "packs", p.name)
		for _, sub := range []string{"conversations", "locks", "order"} {
			must(t, os.MkdirAll(filepath.Join(dir, sub), 0o700))
		}
		must(t, os.WriteFile(filepath.Join(dir, "order", "conversations.json"), nil, 0o600))
		if p.file != "" {
			must(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(p.file)), nil, 0o600))
		}
		for _, sub := range []string{"conversations", "locks", "."} {
			if p.name != "new" {
				must(t, os.Chtimes(filepath.Join(dir, sub), old, old))
			}
		}
	}
	h.SweepPacks()
	for name, want := range map[string]bool{"empty": false, "used": true, "locked": true, "new": true} {
		if _, err := os.Stat(filepath.Join(home, "packs", name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
