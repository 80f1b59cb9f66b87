// Package state is what golem keeps of a project in its directory .golem beside
// the traces: conversations, staged changes, journals. Every such file carries a
// MAC under a key of this machine, so that what a clone or an archive brought
// along can be looked at, and is never resumed, settled or pushed (SPEC §3).
//
// A MAC tells who wrote a line, not that nothing was removed after it: a copy of
// an older state of a file, made on this machine in this project, is genuine too.
package state

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"
	"time"

	"golem/core/fault"
	"golem/core/sandbox"
)

// Store is the state of one project, as the host lends it. The zero value keeps
// nothing: every method fails with E_PLATFORM.
type Store struct {
	// Files is the project's directory .golem. It need not exist before the first
	// write (sandbox.Lazy).
	Files sandbox.FS
	// Project identifies the project in every MAC: natively the real root as a slash
	// path. core.Open fills it with Platform.TrustKey if it is "".
	Project string
	// Key returns 32 secret bytes of this machine, which no project contains and
	// which are never exported. It makes them if there are none.
	Key func() ([]byte, error)
	// Lock keeps a lock with a plain name from every other process, tab and goroutine
	// until release; the end of its owner frees it too. It tries at least once, also
	// if ctx has ended, and fails with E_BUSY when ctx ends first.
	Lock func(ctx context.Context, name string) (release func(), err error)
	// Held tells whether somebody has a lock. It keeps nobody from taking one that is
	// free; nil: nothing can tell.
	Held func(name string) bool
	// Append opens a file of Files for adding at its end, and creates it and its
	// parents. One Write is one write of the system. A Sync method, if it has one,
	// is used by Log.Sync. nil: the file is replaced as a whole at each write.
	Append func(name string) (io.WriteCloser, error)
}

// Format is a kind of file, and the newest version that this golem reads.
type Format struct {
	Kind    string // "conversation"
	Version int    // from 1; rises only on a change that older readers cannot read
}

// keyBytes is the length of a Store's key.
const keyBytes = 32

// Kept says whether the host lends a place at all.
func (s *Store) Kept() bool { return s.Files != nil && s.Key != nil }

// Hold locks name, waiting while another process has it, until ctx ends.
func (s *Store) Hold(ctx context.Context, name string) (release func(), err error) {
	if s.Lock == nil {
		return nil, errNowhere
	}
	return s.Lock(ctx, name)
}

// TryHold is Hold that does not wait: E_BUSY if another has the lock.
func (s *Store) TryHold(name string) (release func(), err error) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	return s.Hold(ctx, name)
}

// errNowhere is the error of a Store without files.
var errNowhere = fault.New(fault.Platform, "golem cannot keep anything in this project here").
	Hinting("run it where .golem can be written and GOLEM_HOME is set")

func (s *Store) key() ([]byte, error) {
	if !s.Kept() {
		return nil, errNowhere
	}
	key, err := s.Key()
	if err == nil && len(key) != keyBytes {
		err = fault.New(fault.Config, "the key of this machine has %d bytes instead of %d", len(key), keyBytes).
			Hinting("remove the file state.key in GOLEM_HOME: what was kept before can then be read, but not resumed or pushed")
	}
	return key, err
}

// read returns a file of at most maxFile bytes.
func (s *Store) read(name string) ([]byte, error) {
	if s.Files == nil {
		return nil, errNowhere
	}
	return sandbox.ReadFile(s.Files, name, maxFile)
}

// maxFile bounds what is read of one file, in bytes.
const maxFile = 512 << 20

// open opens a file for adding at its end.
func (s *Store) open(name string) (io.WriteCloser, error) {
	if s.Append != nil {
		return s.Append(name)
	}
	old, err := s.read(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return &whole{files: s.Files, name: name, data: old}, nil
}

// whole is a file that is replaced at each write.
type whole struct {
	files sandbox.FS
	name  string
	data  []byte
}

func (w *whole) Write(b []byte) (int, error) {
	next := append(w.data[:len(w.data):len(w.data)], b...)
	if err := w.files.WriteFile(w.name, next); err != nil {
		return 0, err
	}
	w.data = next
	return len(b), nil
}

func (w *whole) Close() error { return nil }

// Memory returns a Store in memory for tests and for embedding programs: files as
// lent, a fixed key, locks within the process.
func Memory(files sandbox.FS) Store {
	var mu sync.Mutex
	held := map[string]bool{}
	take := func(name string) bool {
		mu.Lock()
		defer mu.Unlock()
		free := !held[name]
		held[name] = true
		return free
	}
	return Store{
		Files: files, Project: "/",
		Key: func() ([]byte, error) { return make([]byte, keyBytes), nil },
		Held: func(name string) bool {
			mu.Lock()
			defer mu.Unlock()
			return held[name]
		},
		Lock: func(ctx context.Context, name string) (func(), error) {
			if err := Wait(ctx, name, func() (bool, error) { return take(name), nil }); err != nil {
				return nil, err
			}
			return sync.OnceFunc(func() {
				mu.Lock()
				defer mu.Unlock()
				delete(held, name)
			}), nil
		},
	}
}

// Wait calls try until it says that the lock is taken, fails, or ctx ends: then
// E_BUSY. A host uses it over a lock that does not wait.
func Wait(ctx context.Context, name string, try func() (bool, error)) error {
	for {
		taken, err := try()
		if taken || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fault.New(fault.Busy, "%s is in use by another golem", name).
				Hinting("wait until it has ended, or stop it")
		case <-time.After(20 * time.Millisecond):
		}
	}
}
