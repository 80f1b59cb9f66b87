package sandbox

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"time"

	"golem/core/fault"
)

// Keeper stores what is changed in a Staging tree. It is called before a change
// becomes visible, one call at a time, with names of the whole tree.
type Keeper interface {
	// Keep stores a file's new content, or its removal. base opens the file of
	// the tree below, or returns fs.ErrNotExist. read opens what was stored; nil says
	// that nothing was, and the tree holds the content itself. perm is what a file that
	// was moved had; 0: unknown.
	Keep(name string, base func() (fs.File, error), data []byte, perm fs.FileMode, removed bool) (read func() (fs.File, error), err error)
}

// StagingFS is a tree that Staging made.
type StagingFS interface {
	SubFS
	// Drop forgets the change of a file: the tree below shows again.
	Drop(name string)
	// Restore shows a change that a Keeper holds from before: what read opens, of size
	// bytes, or with nil that the file is removed. Where something else is in the way
	// by now, it fails and shows nothing. perm is what Keep was told.
	Restore(name string, read func() (fs.File, error), size int64, perm fs.FileMode) error
}

// Staging returns a tree that shows base and the changes made to it, which keep
// stores; base is never written (mode: staged, SPEC §9).
func Staging(base FS, keep Keeper) StagingFS {
	o := Overlay(base).(*overlay)
	o.keep = keep
	return o
}

// stages reports whether changes in the tree are kept apart from the files.
func (o *overlay) stages() bool { return o.keep != nil }

func (d *lazy) stages() bool { return stages(d.parent) }

func stages(fsys FS) bool {
	s, ok := fsys.(interface{ stages() bool })
	return ok && s.stages()
}

// put writes a file into memory, or has it kept.
func (o *overlay) put(name string, data []byte, perm fs.FileMode) error {
	if o.keep == nil {
		return o.upper.WriteFile(o.up(name), data)
	}
	read, err := o.keep.Keep(o.up(name), o.below(name), data, perm, false)
	if err != nil {
		return perr("write", name, err)
	}
	if read == nil {
		return o.upper.WriteFile(o.up(name), data)
	}
	return o.upper.put(o.up(name), &node{kept: read, size: int64(len(data)), when: time.Now(), perm: perm})
}

// forget has the removal of a file kept.
func (o *overlay) forget(name string, info fs.FileInfo) error {
	if o.keep == nil || info.IsDir() {
		return nil
	}
	_, err := o.keep.Keep(o.up(name), o.below(name), nil, 0, true)
	return err
}

// PermOf returns the permissions that a file has in base, or had there before it was
// moved.
func (o *overlay) PermOf(name string) fs.FileMode {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.perm(name)
}

func (o *overlay) perm(name string) fs.FileMode {
	perm := o.upper.moved(o.up(name))
	if perm == 0 && !o.hidden(name) {
		perm = PermOf(o.base, name)
	}
	return perm
}

// moved is the node's perm.
func (m *memory) moved(name string) fs.FileMode {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if n, err := m.find(name); err == nil {
		return n.perm
	}
	return 0
}

func (o *overlay) below(name string) func() (fs.File, error) {
	return func() (fs.File, error) { return o.base.Open(name) }
}

// Drop forgets the change of a file.
func (o *overlay) Drop(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	_ = o.upper.Remove(o.up(name)) // what is not there is forgotten already
	for at := o.up(name); at != "."; at = path.Dir(at) {
		delete(o.gone, at)
	}
}

// Restore shows a change from before.
func (o *overlay) Restore(name string, read func() (fs.File, error), size int64, perm fs.FileMode) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := errors.Join(ValidNew(name), o.above("write", name)); err != nil {
		return err
	}
	if _, info, err := o.layer("write", name); err == nil && info.IsDir() {
		return perr("write", name, ErrIsDir)
	}
	if read != nil {
		return o.upper.put(o.up(name), &node{kept: read, size: size, when: time.Now(), perm: perm})
	}
	o.gone[o.up(name)] = true
	return nil
}

// keptFile is an open file that a Keeper holds, under its own name.
type keptFile struct {
	wrapped
	info fs.FileInfo
}

// Stat describes the file as the tree knows it.
func (f keptFile) Stat() (fs.FileInfo, error) {
	_, err := f.File.Stat()
	return f.info, err
}

// staged returns the mount as the view has it: over a tree that keeps changes
// apart, if its mode or that of a mount of the same files says so.
func (v *view) staged(m Mount) (Mount, error) {
	mode := m.Mode
	for _, c := range v.modes {
		if contains(c.Source, m.Source) && !slices.Contains(m.exempt, c) {
			mode = Stricter(mode, c.Mode)
		}
	}
	if mode != Staged || v.spec.Stage == nil || m.Unrestricted || stages(m.FS) {
		return m, nil
	}
	dir := m.Source
	if m.File != "" {
		dir = path.Dir(dir)
	}
	var err error
	m.Mode = Staged
	m.FS, err = v.spec.Stage(m.FS, dir)
	return m, err
}

// word is the mode as an adjective.
func (m Mode) word() string {
	if m == ReadOnly {
		return "read-only"
	}
	return string(m)
}

// NestLater opens a directory of a tree, which may not exist yet.
func NestLater(base FS, name string) (FS, error) {
	dir, file, err := Nest(base, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Later(base, name)
	case err == nil && file != "":
		return nil, perr("sub", name, ErrNotDir)
	}
	return dir, err
}

// Placement says where a file of a view is really: the source of its mount, its
// path below it, and whether changes of it are kept apart.
type Placement struct {
	Source, Path string
	Staged       bool
}

// PlaceOf returns where a name of a view is.
func PlaceOf(fsys FS, name string) (Placement, error) {
	v, ok := fsys.(*view)
	if !ok {
		return Placement{}, fault.New(fault.Path, "%s is in no mount", Abs(name))
	}
	p, way, err := v.find("stat", name)
	if err != nil {
		return Placement{}, err
	}
	if way || p.mount.Source == "" {
		return Placement{}, fault.New(fault.Path, "%s is in no mount of the project's files", Abs(name)).Hinting("name a file of a mount")
	}
	out := Placement{Source: p.mount.Source, Path: below(name, p.mount.Mount.At), Staged: stages(p.mount.fs)}
	if p.mount.File != "" {
		out.Source, out.Path = path.Split(p.source())
		out.Source = path.Clean(out.Source)
	}
	return out, nil
}
