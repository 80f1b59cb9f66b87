package harden

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/state"
)

// Journal writes the files of a hardened worker together: whenever the process is killed, the
// next Recover leaves all old files or all new ones. The new files first lie in
// .golem/hardening/, with a journal that has a MAC, so that one that came with a clone writes
// nothing. A caller must hold the lock Lock.
type Journal struct {
	Root  sandbox.FS
	State *state.Store
}

// Lock is the name of the lock of a Journal.
const Lock = "hardening"

const mostFile = 64 << 20

func (j Journal) together() sandbox.Together {
	return sandbox.Together{Root: j.Root, Dir: sandbox.StateDir + "/hardening", Seal: j.State.Sealer(journalFormat, Lock), Most: mostFile}
}

var journalFormat = state.Format{Kind: "hardening", Version: 1}

// Unfinished reports whether there is a journal, so that Recover has something to do.
func (j Journal) Unfinished() bool { return j.together().Unfinished() }

// Write writes files. was has what each had when it was read, nil for a file that was not there:
// if one of them is another now, nothing is written, and it fails with E_CONFLICT.
func (j Journal) Write(files, was map[string][]byte) error {
	if err := j.Recover(); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		now, err := sandbox.ReadFile(j.Root, name, mostFile)
		if missing := errors.Is(err, fs.ErrNotExist); err != nil && !missing || missing != (was[name] == nil) || !bytes.Equal(now, was[name]) {
			return fault.New(fault.Conflict, "nothing was written: %s has changed since it was read", name).Hinting("give the command again")
		}
	}
	if err := j.together().Stage(files); err != nil {
		return err
	}
	return j.Recover()
}

// Recover finishes in a project what a process has begun that was killed while it wrote the files
// of a hardened worker. It does nothing while another process writes them.
func Recover(files fs.FS, store *state.Store) error {
	root, ok := files.(sandbox.FS)
	j := Journal{Root: root, State: store}
	if !ok || !store.Kept() || !j.Unfinished() {
		return nil
	}
	release, err := store.TryHold(Lock)
	if errors.Is(err, fault.Busy) {
		return nil
	}
	if err != nil {
		return err
	}
	defer release()
	return j.Recover()
}

// Recover finishes what a genuine journal says. Any other is left where it is: it is of a clone,
// or of a disk that lost something.
func (j Journal) Recover() error {
	all := j.together()
	if !all.Unfinished() {
		return nil
	}
	files, err := all.Staged()
	if err != nil {
		return nil
	}
	return all.Put(files)
}
