package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/sandbox/opfs"
)

// state returns the store of golem's own state of a project, such as conversations.
func (s *stores) state(fsys *opfs.FS, project string) state.Store {
	return state.Store{
		Files: sandbox.Lazy(fsys, sandbox.StateDir), Project: "/" + s.firstName(project),
		Host: &stateHost{fsys, sandbox.StateDir, state.Remember(func() ([]byte, error) { return s.stateKey(project) })}, // each line of a conversation needs the key
	}
}

// stateHost is the key, the locks and the log files of a project's state, or of a batch.
type stateHost struct {
	files *opfs.FS
	dir   string // of the state, in the project
	key   func() ([]byte, error)
}

func (h *stateHost) Key() ([]byte, error) { return h.key() }

func (h *stateHost) lock(name string) string { return path.Join(h.dir, "locks", name) }

func (h *stateHost) Lock(ctx context.Context, name string) (release func(), err error) {
	return waitLock(ctx, h.files, h.lock(name))
}

func (h *stateHost) Held(name string) bool { return h.files.Locked(h.lock(name)) }

func (h *stateHost) Append(name string) (io.WriteCloser, error) {
	if err := sandbox.MakeState(h.files); err != nil {
		return nil, err
	}
	log, err := h.files.Append(path.Join(h.dir, name))
	if err != nil {
		return nil, err
	}
	log.Gathers = path.Dir(name) == conversation.Dir
	return log, nil
}

// waitLock takes a lock that all tabs share, and returns the function that releases it. It
// waits until ctx ends and then fails with E_BUSY.
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

// stateKey returns the key of a project's state, 32 random bytes. It makes the key at the
// first call; all tabs get the same one.
func (s *stores) stateKey(project string) ([]byte, error) {
	root, dir, err := s.personDirectory(project)
	if err != nil {
		return nil, err
	}
	name := path.Join(dir, keyName)
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
	key := s.random(name, 32)
	if err := root.WriteFile(name, key); !errors.Is(err, fault.Quota) {
		return key, err
	}
	return key, nil // nothing is kept with it while the storage is full
}

// onState opens the state of the project that a call names. The name is the ID of a
// conversation.
func onState(do func(s *state.Store, n named) (any, []byte, error)) method {
	return onFiles(func(c *call, n named, fsys *opfs.FS) (any, []byte, error) {
		s := c.server.stores.state(fsys, n.Project)
		return do(&s, n)
	})
}

// listConversations returns what golem conversations --json prints; with search, only those
// that have all its words.
func listConversations(s *state.Store, n named) (any, []byte, error) {
	return conversation.Search(s, conversation.List(s), n.Search), nil, nil
}

// renameConversation gives a conversation a title, as golem conversations rename does, and
// returns the title.
func renameConversation(s *state.Store, n named) (any, []byte, error) {
	title, err := conversation.Rename(s, nil, n.Name, n.Title)
	return title, nil, err
}

// readConversation returns the header of a conversation, what was said in it, and its
// messages that exist in several forms.
func readConversation(s *state.Store, n named) (any, []byte, error) {
	k, err := conversation.Read(s, n.Name)
	if err != nil {
		return nil, nil, err
	}
	return map[string]any{"listing": k.ListingIn(s), "said": k.Said(), "branches": conversation.Branches(s, k.ID)}, nil, nil
}

// exportConversation returns a conversation as Markdown.
func exportConversation(s *state.Store, n named) (any, []byte, error) {
	k, err := conversation.Read(s, n.Name)
	if err != nil {
		return nil, nil, err
	}
	return nil, []byte(k.Markdown()), nil
}
