// Package state stores the files that golem keeps for a project in its directory
// .golem, apart from traces: conversations, staged changes, journals. Every such file
// has a MAC under a key of this machine. A file that came with a clone or an archive
// can therefore be shown, but is never resumed, settled or pushed (SPEC §3).
//
// A MAC proves who wrote a line, not that no lines were removed after it: a copy of
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

// Store is the storage for the state of one project, which the host provides. The zero
// value stores nothing: methods that need the files, the key or a lock return E_PLATFORM.
type Store struct {
	// Files is the project's directory .golem. It need not exist before the first
	// write (sandbox.Lazy).
	Files sandbox.FS
	// Project identifies the project in every MAC: natively the real path of its root,
	// with slashes. core.Open sets it to Platform.TrustKey if it is "".
	Project string
	// Key returns the secret key of this machine, 32 bytes, which no project contains
	// and which is never exported. It creates the key if there is none.
	Key func() ([]byte, error)
	// Lock takes the lock of a name (without slashes) against every other process, tab
	// and goroutine, until release is called or the owner ends. It waits until ctx ends,
	// and then returns E_BUSY. It tries at least once, even if ctx has ended before.
	Lock func(ctx context.Context, name string) (release func(), err error)
	// Held reports whether a lock is taken. It prevents nobody from taking a free lock.
	// It is nil if the host cannot tell.
	Held func(name string) bool
	// Append opens a file of Files for appending, and creates it and its parents if
	// necessary. Each Write is one write call of the system. Log.Sync uses the Sync
	// method of the file, if it has one. If Append is nil, each write replaces the whole
	// file.
	Append func(name string) (io.WriteCloser, error)
}

// Format is a kind of file, and the newest version that this golem reads.
type Format struct {
	Kind    string // "conversation"
	Version int    // from 1; rises only on a change that older readers cannot read
}

// keyBytes is the length of a Store's key.
const keyBytes = 32

// Kept reports whether the host provides storage at all.
func (s *Store) Kept() bool { return s.Files != nil && s.Key != nil }

// Hold takes the lock of a name. If it is taken, Hold waits until it is free, or returns
// E_BUSY when ctx ends. The caller must call release.
func (s *Store) Hold(ctx context.Context, name string) (release func(), err error) {
	if s.Lock == nil {
		return nil, errNowhere
	}
	return s.Lock(ctx, name)
}

// TryHold takes the lock of a name without waiting. It returns E_BUSY if the lock is
// taken. The caller must call release.
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

// read returns the content of a file of at most maxFile bytes.
func (s *Store) read(name string) ([]byte, error) {
	if s.Files == nil {
		return nil, errNowhere
	}
	return sandbox.ReadFile(s.Files, name, maxFile)
}

// maxFile is the largest file that read accepts, in bytes.
const maxFile = 512 << 20

// open opens a file for appending.
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

// whole is an open file for appending that replaces the whole file with each Write.
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

// Memory returns a Store on the given files, for tests and for embedding programs. Its
// key is fixed (32 zero bytes), and its locks work only among the copies of this Store.
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

// Wait calls try every 20 ms until try returns true or an error. When ctx ends, it
// returns E_BUSY. A host uses it to implement Store.Lock with a lock that does not wait.
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
