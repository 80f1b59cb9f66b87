package home

import (
	"path/filepath"

	"golem/core/consent"
)

// WorkerKey returns the secret of which the keys of this machine for batches on many machines are
// made, and makes it the first time.
func (h *Home) WorkerKey() ([]byte, error) {
	dir := h.Dir()
	if dir == "" {
		return nil, h.Missing("this machine has no key for batches")
	}
	return StateKey(filepath.Join(dir, "worker.key"))
}

// Signers returns the file with the keys of those whose batches this machine works for; nil if
// there is no home directory.
func (h *Home) Signers() consent.File {
	dir := h.Dir()
	if dir == "" {
		return nil
	}
	return File{filepath.Join(dir, "signers.json")}
}
