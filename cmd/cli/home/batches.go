package home

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"golem/core/sandbox"
	"golem/core/state"
	"golem/sandbox/osfs"
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
