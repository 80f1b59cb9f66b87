package home

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/gofrs/flock"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/sandbox/osfs"

	"golem/cmd/cli/disk"
)

// State returns the store in .golem of a directory, with this machine's key. Without
// GOLEM_HOME there is no key, and the store keeps nothing.
func (h *Home) State(files *osfs.FS, root string) state.Store {
	dir := h.Dir()
	if dir == "" {
		return state.Store{}
	}
	return state.Store{
		Files: sandbox.Lazy(files, sandbox.StateDir), Project: disk.RealPath(root),
		Host: StateIn(files, sandbox.StateDir, filepath.Join(dir, "state.key")),
	}
}

// StateIn returns the host of a store whose files are in a directory of files: its locks are
// files in locks below that directory, and the file key on the disk has this machine's key.
func StateIn(files *osfs.FS, dir, key string) state.Host {
	return &stateHost{files, dir, state.Remember(func() ([]byte, error) { return StateKey(key) })}
}

type stateHost struct {
	files *osfs.FS
	dir   string
	key   func() ([]byte, error)
}

func (h *stateHost) Key() ([]byte, error) { return h.key() }

func (h *stateHost) Append(name string) (io.WriteCloser, error) {
	name = path.Join(h.dir, name)
	if err := ownParents(h.files, name); err != nil {
		return nil, err
	}
	return h.files.Append(name)
}

func (h *stateHost) lock(name string) string { return path.Join(h.dir, "locks", name) }

func (h *stateHost) Lock(ctx context.Context, name string) (release func(), err error) {
	name = h.lock(name)
	if err := ownParents(h.files, name); err != nil {
		return nil, err
	}
	err = state.Wait(ctx, path.Base(name), func() (taken bool, err error) {
		release, taken, err = h.files.TryLock(name)
		return taken, err
	})
	return release, err
}

func (h *stateHost) Held(name string) bool { return h.files.Locked(h.lock(name)) }

// ownParents creates the directories above a file, with access for their owner only.
func ownParents(files *osfs.FS, name string) error {
	dir := path.Dir(name)
	if dir == "." {
		return nil
	}
	if err := ownParents(files, dir); err != nil {
		return err
	}
	if dir == sandbox.StateDir {
		return sandbox.MakeState(files)
	}
	if err := files.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// StateKey reads a key of this machine, and creates it the first time. A lock ensures
// that two processes that start at once get the same key.
func StateKey(name string) ([]byte, error) {
	if key, err := ReadFile(name); len(key) > 0 || err != nil {
		return key, err
	}
	failed := func(err error) error {
		return fault.New(fault.Config, "%s in GOLEM_HOME cannot be made: %s", filepath.Base(name), disk.Cause(err)).Hinting("%s", disk.WriteHint(err, "make GOLEM_HOME writable"))
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, failed(err)
	}
	lock := flock.New(name + ".lock")
	if err := lock.Lock(); err != nil {
		return nil, failed(err)
	}
	defer lock.Close()
	key, err := ReadFile(name)
	if len(key) > 0 || err != nil {
		return key, err
	}
	key = make([]byte, 32)
	rand.Read(key)
	if err := WriteFile(name, key); err != nil {
		return nil, failed(err)
	}
	return key, nil
}
