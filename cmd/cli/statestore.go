package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/sandbox/osfs"
)

// stateOf returns the store in .golem of a directory, with this machine's key. Without
// GOLEM_HOME there is no key, and the store keeps nothing.
func (h *host) stateOf(files *osfs.FS, root string) state.Store {
	home := h.home()
	if home == "" {
		return state.Store{}
	}
	return state.Store{
		Files: sandbox.Lazy(files, sandbox.StateDir), Project: realPath(root),
		Key: sync.OnceValues(func() ([]byte, error) { return stateKey(filepath.Join(home, "state.key")) }),
		Lock: func(ctx context.Context, name string) (release func(), err error) {
			name = path.Join(sandbox.StateDir, "locks", name)
			if err := ownParents(files, name); err != nil {
				return nil, err
			}
			err = state.Wait(ctx, path.Base(name), func() (taken bool, err error) {
				release, taken, err = files.TryLock(name)
				return taken, err
			})
			return release, err
		},
		Held: func(name string) bool { return files.Locked(path.Join(sandbox.StateDir, "locks", name)) },
		Append: func(name string) (io.WriteCloser, error) {
			name = path.Join(sandbox.StateDir, name)
			if err := ownParents(files, name); err != nil {
				return nil, err
			}
			return files.Append(name)
		},
	}
}

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

// stateKey reads the key of this machine, and creates it the first time. A lock ensures
// that two processes that start at once get the same key.
func stateKey(name string) ([]byte, error) {
	if key, err := readHomeFile(name); len(key) > 0 || err != nil {
		return key, err
	}
	failed := func(err error) error {
		return fault.New(fault.Config, "state.key in GOLEM_HOME cannot be made: %s", cause(err)).Hinting("%s", writeHint(err, "make GOLEM_HOME writable"))
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, failed(err)
	}
	lock := flock.New(name + ".lock")
	if err := lock.Lock(); err != nil {
		return nil, failed(err)
	}
	defer lock.Close()
	key, err := readHomeFile(name)
	if len(key) > 0 || err != nil {
		return key, err
	}
	key = make([]byte, 32)
	rand.Read(key)
	if err := writeAtomic(name, key); err != nil {
		return nil, failed(err)
	}
	return key, nil
}
