package home

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/sandbox/osfs"

	"golem/cmd/cli/disk"
)

// batchesDir is the directory of GOLEM_HOME that has one directory for each batch.
const batchesDir = "batches"

// Batch returns the store of a batch, with this machine's key. Its directory need not exist.
func (h *Home) Batch(name string) (state.Store, error) {
	dir := h.Dir()
	if dir == "" {
		return state.Store{}, h.Missing("a batch cannot be kept")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return state.Store{}, err
	}
	files, err := osfs.Open(dir)
	if err != nil {
		return state.Store{}, err
	}
	if err := onlyOurs(dir, batchesDir, path.Join(batchesDir, name)); err != nil {
		return state.Store{}, err
	}
	at := path.Join(batchesDir, name)
	return state.Store{
		Files: sandbox.Lazy(files, at), Project: "batch:" + name, Host: StateIn(files, at, filepath.Join(dir, "state.key")),
	}, nil
}

// Batches returns the names of the batches, sorted.
func (h *Home) Batches() ([]string, error) {
	dir := h.Dir()
	if dir == "" {
		return nil, h.Missing("there are no batches")
	}
	if err := onlyOurs(dir, batchesDir); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(filepath.Join(dir, batchesDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out, err
}

// onlyOurs returns E_TRUST if a directory below GOLEM_HOME is a link, or if somebody else may
// write to it. A batch's directory has no seal over everything: who writes there decides what
// golem runs, and where results go.
func onlyOurs(dir string, names ...string) error {
	for _, name := range names {
		info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name)))
		why := ""
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			why = "it is a link"
		case !info.IsDir():
			why = "it is not a directory"
		case !disk.OnlyOurs(info):
			why = "it belongs to somebody else, or others may write to it"
		default:
			continue
		}
		return fault.New(fault.Trust, "golem does not use %s in GOLEM_HOME, because %s", name, why).
			Hinting("look at what is in it; then remove it, or make it a directory of yours to which only you may write (chmod go-w)")
	}
	return nil
}

// Emptied removes the directory of a batch that has no files any more.
func (h *Home) Emptied(name string) {
	if dir := h.Dir(); dir != "" {
		removeEmpty(filepath.Join(dir, batchesDir, name), "locks")
	}
}

// removeEmpty removes directories in a directory and then itself, those that are empty.
func removeEmpty(dir string, inside ...string) {
	for _, name := range inside {
		_ = os.Remove(filepath.Join(dir, name)) // what is not empty stays
	}
	_ = os.Remove(dir)
}

// PacksDir is the directory of GOLEM_HOME that has what golem keeps of each packed project.
const PacksDir = "packs"

// SweepPacks removes what golem keeps of packed projects of which no conversation is left.
// Nothing that was changed in the last hour is touched: a process may have just begun.
func (h *Home) SweepPacks() {
	home := h.Dir()
	if home == "" || onlyOurs(home, PacksDir) != nil {
		return
	}
	dir := filepath.Join(home, PacksDir)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // there is none
	}
	for _, e := range entries {
		pack := filepath.Join(dir, e.Name())
		if !e.IsDir() || !unused(pack) {
			continue
		}
		_ = os.Remove(filepath.Join(pack, "order", "conversations.json")) // the order of no conversation
		removeEmpty(pack, "order", "conversations", "locks")
	}
}

// unused reports whether the directory of a packed project has no conversation, and nobody made
// one of late.
func unused(pack string) bool {
	for _, name := range []string{".", "conversations", "locks"} {
		entries, err := os.ReadDir(filepath.Join(pack, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) || name != "." && len(entries) > 0 {
			return false
		}
		info, err := os.Stat(filepath.Join(pack, name))
		if err == nil && time.Since(info.ModTime()) < disk.StaleTemp {
			return false
		}
	}
	return true
}
