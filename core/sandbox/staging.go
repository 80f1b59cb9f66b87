package sandbox

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"time"

	"golem/core/fault"
)

// Keeper stores the changes of a Staging tree. The tree calls it before a change
// becomes visible, one call at a time. Names begin at the root of the whole tree,
// also for changes in a nested tree.
type Keeper interface {
	// Keep stores a file's new content, or its removal. base opens the file of the tree
	// below, or returns fs.ErrNotExist. perm are the permissions that a moved file had;
	// 0: unknown. read opens the stored content; if read is nil, nothing was stored, and
	// the tree keeps the content in memory.
	Keep(name string, base func() (fs.File, error), data []byte, perm fs.FileMode, removed bool) (read func() (fs.File, error), err error)
}

// StagingFS is a tree that keeps its changes apart from the tree below. Staging
// returns it.
type StagingFS interface {
	SubFS
	// Drop forgets the change of a file, so that the tree shows the file below again.
	Drop(name string)
	// Restore shows a change that a Keeper has stored earlier, for instance in another
	// process. read opens the content, which has size bytes; nil means that the file was
	// removed. perm is the perm that Keep got. Restore returns an error and changes
	// nothing if the name is now a directory or is below a file.
	Restore(name string, read func() (fs.File, error), size int64, perm fs.FileMode) error
}

// Staging returns a tree that shows base with the changes made to it. It passes
// every change to keep and never writes to base (mode: staged, SPEC §9).
func Staging(base FS, keep Keeper) StagingFS {
	o := Overlay(base).(*overlay)
	o.keep = keep
	return o
}

func (o *overlay) stages() bool { return o.keep != nil }

func (d *lazy) stages() bool { return stages(d.parent) }

// stages reports whether changes in the tree are kept apart from the files.
func stages(fsys FS) bool {
	s, ok := fsys.(interface{ stages() bool })
	return ok && s.stages()
}

// put stores a file's content with the Keeper, or in memory if there is no Keeper.
func (o *overlay) put(name string, data []byte, perm fs.FileMode) error {
	if o.keep == nil {
		return o.upper.WriteFile(o.wholeName(name), data)
	}
	read, err := o.keep.Keep(o.wholeName(name), o.openBelow(name), data, perm, false)
	if err != nil {
		return perr("write", name, err)
	}
	if read == nil {
		return o.upper.WriteFile(o.wholeName(name), data)
	}
	return o.upper.put(o.wholeName(name), &node{kept: read, size: int64(len(data)), when: time.Now(), perm: perm})
}

// forget passes the removal of a file to the Keeper, if there is one.
func (o *overlay) forget(name string, info fs.FileInfo) error {
	if o.keep == nil || info.IsDir() {
		return nil
	}
	_, err := o.keep.Keep(o.wholeName(name), o.openBelow(name), nil, 0, true)
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
	perm := o.upper.moved(o.wholeName(name))
	if perm == 0 && !o.hidden(name) {
		perm = PermOf(o.base, name)
	}
	return perm
}

// moved returns the permissions that are stored for a file (node.perm), or 0.
func (m *memory) moved(name string) fs.FileMode {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if n, err := m.find(name); err == nil {
		return n.perm
	}
	return 0
}

func (o *overlay) openBelow(name string) func() (fs.File, error) {
	return func() (fs.File, error) { return o.base.Open(name) }
}

// Drop implements StagingFS.
func (o *overlay) Drop(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	_ = o.upper.Remove(o.wholeName(name)) // what is not there is forgotten already
	for at := o.wholeName(name); at != "."; at = path.Dir(at) {
		delete(o.gone, at)
	}
}

// Restore implements StagingFS.
func (o *overlay) Restore(name string, read func() (fs.File, error), size int64, perm fs.FileMode) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := errors.Join(ValidNew(name), o.checkParents("write", name)); err != nil {
		return err
	}
	if _, info, err := o.layer("write", name); err == nil && info.IsDir() {
		return perr("write", name, ErrIsDir)
	}
	if read != nil {
		return o.upper.put(o.wholeName(name), &node{kept: read, size: size, when: time.Now(), perm: perm})
	}
	o.gone[o.wholeName(name)] = true
	return nil
}

// keptFile is an open file whose content a Keeper stores, with the name and info of
// the tree.
type keptFile struct {
	wrapped
	info fs.FileInfo
}

// Stat describes the file as the tree knows it.
func (f keptFile) Stat() (fs.FileInfo, error) {
	_, err := f.File.Stat()
	return f.info, err
}

// staged returns the mount as the view uses it. If the strictest mode for its files
// is Staged, that is a mount of the tree that Changes.Stage returns.
func (v *view) staged(m Mount) (Mount, error) {
	mode := m.Mode
	for _, c := range v.modes {
		if contains(c.Source, m.Source) && !slices.Contains(m.exempt, c) {
			mode = Stricter(mode, c.Mode)
		}
	}
	if mode != Staged || v.spec.Changes == nil || m.Unrestricted || stages(m.FS) {
		return m, nil
	}
	dir := m.Source
	if m.File != "" {
		dir = path.Dir(dir)
	}
	var err error
	m.Mode = Staged
	m.FS, err = v.spec.Changes.Stage(m.FS, dir)
	return m, err
}

// word returns the mode as an adjective, for messages.
func (m Mode) word() string {
	if m == ReadOnly {
		return "read-only"
	}
	return string(m)
}

// NestLater opens a directory of a tree, which may not exist yet: then it is as Later
// returns it. A file is ErrNotDir.
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

// Placement is the place of a file outside its view.
type Placement struct {
	Source, Path string // the source of its mount, and the file's path below that source
	Staged       bool   // changes of the file are kept apart from the real files
	Outside      bool   // Mount.Outside
}

// PlaceOf returns where the file with this name in a view really is. It returns E_PATH
// if the name is in no mount of the project's files.
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
	out := Placement{Source: p.mount.Source, Path: relativeTo(name, p.mount.Mount.At), Staged: stages(p.mount.fs), Outside: p.mount.Mount.Outside}
	if p.mount.File != "" {
		out.Source, out.Path = path.Split(p.source())
		out.Source = path.Clean(out.Source)
	}
	return out, nil
}
