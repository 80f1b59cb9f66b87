package run

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"golem/core/conversation"
	"golem/core/sandbox"
)

// touched collects the files of the project that calls change, for the conversation. Changes
// that wait in clearance and files outside the project are not among them. It is safe for concurrent use.
type touched struct {
	root string // source of the project's root

	mu    sync.Mutex
	names map[string]touch // by path from the root
}

// touching is a tree whose changed files are collected.
type touching struct {
	sandbox.FS
	touched *touched
}

// WriteFile implements sandbox.FS.
func (t touching) WriteFile(name string, data []byte) error {
	err := t.FS.WriteFile(name, data)
	t.touched.note(sandbox.Write{Op: sandbox.OpWrite, Name: name})
	return err
}

// Remove implements sandbox.FS.
func (t touching) Remove(name string) error {
	err := t.FS.Remove(name)
	t.touched.note(sandbox.Write{Op: sandbox.OpRemove, Name: name})
	return err
}

// touch says what happened at a path.
type touch struct {
	removed bool // what was there is gone, although something else can be there now
	whole   bool // everything below it is new
}

// maxBelow is how many files below a directory that a call moved are named.
const maxBelow = 10_000

// note collects a change that was made or has failed.
func (t *touched) note(w sandbox.Write) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch w.Op {
	case sandbox.OpRemove:
		t.add(w.Name, touch{removed: true})
	case sandbox.OpRename:
		t.add(w.Name, touch{removed: true})
		t.add(w.To, touch{whole: true})
	default:
		t.add(w.Name, touch{})
	}
}

// add adds a path. The caller holds mu.
func (t *touched) add(source string, now touch) {
	name, ok := sandbox.Below(source, t.root)
	if !ok || name == "." {
		return
	}
	if t.names == nil {
		t.names = map[string]touch{}
	}
	was := t.names[name]
	t.names[name] = touch{was.removed || now.removed, was.whole || now.whole}
}

// changes returns what is now at the paths that were changed since the last call, and gives
// the contents of files to the journal.
func (t *touched) changes(files sandbox.FS, j *conversation.Journal) []conversation.Change {
	t.mu.Lock()
	names := t.names
	t.names = nil
	t.mu.Unlock()
	var out []conversation.Change
	for _, name := range slices.Sorted(maps.Keys(names)) {
		is := names[name]
		info, err := fs.Stat(files, name)
		gone := errors.Is(err, fs.ErrNotExist) || errors.Is(err, sandbox.ErrNotDir)
		if gone || is.removed {
			out = append(out, conversation.Change{Path: name, Gone: true})
		}
		switch {
		case err != nil:
		case info.IsDir() && is.whole:
			out = append(out, changesBelow(files, name, j)...)
		case info.IsDir():
			out = append(out, conversation.Change{Path: name, Dir: true})
		default:
			out = append(out, fileChange(files, name, info.Size(), j))
		}
	}
	return out
}

// changesBelow returns a directory and everything below it.
func changesBelow(files sandbox.FS, dir string, j *conversation.Journal) (out []conversation.Change) {
	_ = fs.WalkDir(files, dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // it is gone meanwhile
		case len(out) == maxBelow:
			return fs.SkipAll
		case e.IsDir():
			out = append(out, conversation.Change{Path: name, Dir: true})
			return nil
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			out = append(out, fileChange(files, name, info.Size(), j))
		}
		return nil
	})
	return out
}

// fileChange returns the change of a file.
func fileChange(files sandbox.FS, name string, size int64, j *conversation.Journal) conversation.Change {
	if size > conversation.MaxFile {
		return conversation.LargeChange(name, size)
	}
	data, err := sandbox.ReadFile(files, name, conversation.MaxFile)
	if err != nil {
		return conversation.LargeChange(name, size)
	}
	return j.FileChange(name, data)
}

// changed returns the files that calls changed since it was last called; none if no
// conversation is kept.
func (s *staging) changed(j *conversation.Journal) []conversation.Change {
	if s.touched == nil || j == nil {
		return nil
	}
	files, err := s.files.root(context.Background())
	if err != nil {
		return nil
	}
	return s.touched.changes(files, j)
}
