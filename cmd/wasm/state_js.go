package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"path"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/sandbox/opfs"
)

// stateDir holds the key of each project's state, outside every project: it is in no
// export, and no archive brings one along. It goes when its project is deleted or
// made again.
const stateDir = "state"

func stateName(project string) string { return path.Join(stateDir, project+".key") }

// state is what golem keeps of a project.
func (s *stores) state(fsys *opfs.FS, project string) state.Store {
	in := func(name string) string { return path.Join(sandbox.StateDir, name) }
	return state.Store{
		Files: sandbox.Lazy(fsys, sandbox.StateDir), Project: "/" + project,
		Key:  func() ([]byte, error) { return s.stateKey(project) },
		Lock: func(ctx context.Context, name string) (func(), error) { return waitLock(ctx, fsys, in("locks/"+name)) },
		Append: func(name string) (io.WriteCloser, error) {
			return fsys.Append(in(name))
		},
	}
}

// waitLock waits for a lock that all tabs share.
func waitLock(ctx context.Context, fsys *opfs.FS, name string) (release func(), err error) {
	err = state.Wait(ctx, path.Base(name), func() (bool, error) {
		var err error
		if release, err = fsys.LockAt(name); errors.Is(err, fault.Busy) {
			return false, nil
		}
		return err == nil, err
	})
	return release, err
}

// stateKey is a project's key, made the first time.
func (s *stores) stateKey(project string) ([]byte, error) {
	root, err := s.open()
	if err != nil {
		return nil, err
	}
	name := stateName(project)
	if key, err := fs.ReadFile(root, name); !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	release, err := waitLock(context.Background(), root, name)
	if err != nil {
		return nil, err
	}
	defer release()
	if key, err := fs.ReadFile(root, name); !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	key := make([]byte, 32)
	rand.Read(key)
	return key, root.WriteFile(name, key)
}
