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
	// Project says in every MAC what the files belong to: natively the real path of the
	// project's root, with slashes; of what has no directory, PackIdentity or ItemIdentity.
	// core.Open sets it to Platform.TrustKey if it is "".
	Project string
	// Host has the key, the locks and the files for appending; nil: nothing is kept.
	Host Host
}

// Host is what a Store needs beside files. All methods must be safe for concurrent use.
type Host interface {
	// Key returns the secret key of this machine, 32 bytes, which no project contains
	// and which is never exported. It creates the key if there is none.
	Key() ([]byte, error)
	// Lock takes the lock of a name (without slashes) against every other process, tab
	// and goroutine, until release is called or the owner ends. It waits until ctx ends,
	// and then returns E_BUSY. It tries at least once, even if ctx has ended before.
	Lock(ctx context.Context, name string) (release func(), err error)
	// Held reports whether a lock is taken. It prevents nobody from taking a free lock.
	Held(name string) bool
	// Append opens a file of Store.Files for appending, and creates it and its parents if
	// necessary. Each Write is one write call of the system. Log.Sync uses the Sync
	// method of the file, if it has one.
	Append(name string) (io.WriteCloser, error)
}

// Format is a kind of file, and the newest version that this golem reads.
type Format struct {
	Kind    string // "conversation"
	Version int    // from 1; rises only on a change that older readers cannot read
}

// keyBytes is the length of a Store's key.
const keyBytes = 32

// Kept reports whether the host provides storage at all.
func (s *Store) Kept() bool { return s.Files != nil && s.Host != nil }

// Hold takes the lock of a name. If it is taken, Hold waits until it is free, or returns
// E_BUSY when ctx ends. The caller must call release.
func (s *Store) Hold(ctx context.Context, name string) (release func(), err error) {
	if s.Host == nil {
		return nil, errNowhere
	}
	return s.Host.Lock(ctx, name)
}

// TryHold takes the lock of a name without waiting. It returns E_BUSY if the lock is
// taken. The caller must call release.
func (s *Store) TryHold(name string) (release func(), err error) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	return s.Hold(ctx, name)
}

// Held reports whether the lock of a name is taken.
func (s *Store) Held(name string) bool { return s.Host != nil && s.Host.Held(name) }

// errNowhere is the error of a Store without files.
var errNowhere = fault.New(fault.Platform, "golem cannot keep anything in this project here").
	Hinting("run it where .golem can be written and GOLEM_HOME is set")

func (s *Store) key() ([]byte, error) {
	if !s.Kept() {
		return nil, errNowhere
	}
	key, err := s.Host.Key()
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
	if !s.Kept() {
		return nil, errNowhere
	}
	return s.Host.Append(name)
}

// Whole opens a file for appending where the system cannot append: each Write replaces the
// whole file. A Host uses it to implement Append.
func Whole(files sandbox.FS, name string) (io.WriteCloser, error) {
	old, err := sandbox.ReadFile(files, name, maxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return &whole{files: files, name: name, data: old}, nil
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
	return Store{Files: files, Project: "/", Host: &memory{files: files, held: map[string]bool{}}}
}

// memory is the Host of a Store in memory.
type memory struct {
	files sandbox.FS
	mu    sync.Mutex
	held  map[string]bool
}

func (m *memory) Key() ([]byte, error) { return make([]byte, keyBytes), nil }

func (m *memory) Append(name string) (io.WriteCloser, error) { return Whole(m.files, name) }

func (m *memory) Held(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held[name]
}

func (m *memory) Lock(ctx context.Context, name string) (release func(), err error) {
	err = Wait(ctx, name, func() (bool, error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		free := !m.held[name]
		m.held[name] = true
		return free, nil
	})
	if err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.held, name)
	}), nil
}

// Wait calls try every 20 ms until try returns true or an error. When ctx ends, it
// returns E_BUSY. A host uses it to implement Lock with a lock that does not wait.
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
