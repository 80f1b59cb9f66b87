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
	in := func(name string) string { return path.Join(sandbox.StateDir, name) }
	return state.Store{
		Files: sandbox.Lazy(fsys, sandbox.StateDir), Project: "/" + project,
		Key:  state.Remember(func() ([]byte, error) { return s.stateKey(project) }), // each line of a conversation needs it
		Lock: func(ctx context.Context, name string) (func(), error) { return waitLock(ctx, fsys, in("locks/"+name)) },
		Held: func(name string) bool { return fsys.Locked(in("locks/" + name)) },
		Append: func(name string) (io.WriteCloser, error) {
			if err := sandbox.MakeState(fsys); err != nil {
				return nil, err
			}
			log, err := fsys.Append(in(name))
			if err != nil {
				return nil, err
			}
			log.Gathers = path.Dir(name) == conversation.Dir
			return log, nil
		},
	}
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
	root, dir, err := s.own(project)
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

// kept returns the state of the project that a message names, and the ID of the
// conversation that it names.
func kept(c *call) (state.Store, string, error) {
	n, fsys, err := target(c)
	if err != nil {
		return state.Store{}, "", err
	}
	return c.server.stores.state(fsys, n.Project), n.Name, nil
}

// listConversations returns what golem conversations --json prints.
func listConversations(c *call) (any, []byte, error) {
	s, _, err := kept(c)
	if err != nil {
		return nil, nil, err
	}
	return conversation.List(&s), nil, nil
}

// conversationOf reads the conversation that a message names.
func conversationOf(c *call) (*conversation.Kept, error) {
	s, id, err := kept(c)
	if err != nil {
		return nil, err
	}
	return conversation.Read(&s, id)
}

// readConversation returns the header of a conversation and what was said in it.
func readConversation(c *call) (any, []byte, error) {
	k, err := conversationOf(c)
	if err != nil {
		return nil, nil, err
	}
	return map[string]any{"listing": k.Listing(), "said": k.Said()}, nil, nil
}

// exportConversation returns a conversation as Markdown.
func exportConversation(c *call) (any, []byte, error) {
	k, err := conversationOf(c)
	if err != nil {
		return nil, nil, err
	}
	return nil, []byte(k.Markdown()), nil
}
