package sandbox

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"sync"
)

// overlay reads from a tree and keeps every change in memory, so that the tree
// below is never changed (--sandbox memory).
type overlay struct {
	*changes
	base FS     // the directory at the place at of the whole tree, as a nested handle
	at   string // where this tree begins in the whole tree

	source string
}

// changes is shared by an overlay and its nested trees.
type changes struct {
	upper *memory
	mu    sync.RWMutex    // allows one change at a time; upper has a lock of its own for single steps
	gone  map[string]bool // names that are hidden in base, with everything below them
	keep  Keeper          // nil: the changes are in memory
}

// wholeName returns a name of this tree as a name of the whole tree, which upper uses.
func (o *overlay) wholeName(name string) string { return join(o.at, name) }

var (
	_ FS           = (*overlay)(nil)
	_ fs.StatFS    = (*overlay)(nil)
	_ fs.ReadDirFS = (*overlay)(nil)
	_ SubFS        = (*overlay)(nil)
	_ Resolver     = (*overlay)(nil)
	_ Permitting   = (*overlay)(nil)
	_ Identifier   = (*overlay)(nil)
)

// Overlay returns a tree that shows base and the changes made to it. The
// changes are kept in memory; base is never written.
func Overlay(base FS) FS {
	upper := newMemory()
	return &overlay{changes: &changes{upper: upper, gone: map[string]bool{}}, base: base, at: ".", source: SourceOf(base, "")}
}

// Source returns where the tree is, or "" if base does not know.
func (o *overlay) Source() string { return o.source }

// SameFile compares files as base does.
func (o *overlay) SameFile(a, b fs.FileInfo) bool {
	id, ok := o.base.(Identifier)
	return ok && id.SameFile(a, b)
}

// Resolve follows base's links, unless the name was changed in the overlay.
func (o *overlay) Resolve(name string) (string, error) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	if _, err := o.upper.Stat(o.wholeName(name)); err == nil || name != "." && o.hidden(name) {
		return name, nil
	}
	if r, ok := o.base.(Resolver); ok {
		return r.Resolve(name)
	}
	return name, nil
}

// hidden reports whether the name, or a directory above it, was removed from
// base.
func (o *overlay) hidden(name string) bool {
	for at := o.wholeName(name); ; at = path.Dir(at) {
		if o.gone[at] {
			return true
		}
		if at == "." {
			return false
		}
	}
}

// layer returns the tree that shows the name, upper or base, and the file's info.
func (o *overlay) layer(op, name string) (FS, fs.FileInfo, error) {
	if err := Valid(name); err != nil {
		return nil, nil, perr(op, name, err)
	}
	info, err := o.upper.Stat(o.wholeName(name))
	if err == nil && (!info.IsDir() || name != ".") {
		return o.upper, info, nil
	}
	if errors.Is(err, ErrNotDir) { // a file in memory is in the place of something in base
		return nil, nil, perr(op, name, ErrNotDir)
	}
	if name != "." && o.hidden(name) {
		return nil, nil, perr(op, name, fs.ErrNotExist)
	}
	if info, err = fs.Stat(o.base, name); err != nil {
		err = perr(op, name, plain(err))
	}
	return o.base, info, err
}

// spelledIn returns the name as it is spelled in the layer that has it.
func (o *overlay) spelledIn(layer FS, name string) string {
	if layer == FS(o.upper) {
		return o.wholeName(name)
	}
	return name
}

// Open opens a file or directory for reading.
func (o *overlay) Open(name string) (fs.File, error) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	in, info, err := o.layer("open", name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return in.Open(o.spelledIn(in, name))
	}
	entries, at, err := o.entries(name)
	if err != nil {
		return nil, err
	}
	d := openDir(info, entries)
	d.at = at
	return d, nil
}

// Stat describes a file or directory.
func (o *overlay) Stat(name string) (fs.FileInfo, error) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	_, info, err := o.layer("stat", name)
	return info, err
}

// ReadDir lists a directory, sorted by name.
func (o *overlay) ReadDir(name string) ([]fs.DirEntry, error) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	_, info, err := o.layer("readdir", name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, perr("readdir", name, ErrNotDir)
	}
	entries, _, err := o.entries(name)
	return entries, err
}

// entries merges the entries of both layers. at is where the directory is in
// base, or "" if base does not tell. The caller holds mu.
func (o *overlay) entries(dir string) (out []fs.DirEntry, at string, err error) {
	if upper, err := o.upper.ReadDir(o.wholeName(dir)); err == nil {
		out = upper
	}
	if dir == "." || !o.hidden(dir) {
		var base []fs.DirEntry
		if base, at, err = list(o.base, dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, "", err
		}
		for _, e := range base {
			name := join(dir, e.Name())
			if _, err := o.upper.Stat(o.wholeName(name)); err != nil && !o.gone[o.wholeName(name)] {
				out = append(out, e)
			}
		}
	}
	return sorted(out), at, nil
}

// WriteFile replaces a file in the overlay.
func (o *overlay) WriteFile(name string, data []byte) error { return o.WritePerm(name, data, 0) }

// WritePerm replaces a file in the overlay. perm are the permissions that the file had
// in the tree from which it was moved; with 0, those of an earlier move remain.
func (o *overlay) WritePerm(name string, data []byte, perm fs.FileMode) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.write(name, data, cmp.Or(perm, o.upper.moved(o.wholeName(name))))
}

func (o *overlay) write(name string, data []byte, perm fs.FileMode) error {
	if err := ValidNew(name); err != nil {
		return perr("write", name, err)
	}
	if _, info, err := o.layer("write", name); err == nil && info.IsDir() {
		return perr("write", name, ErrIsDir)
	}
	if err := o.checkParents("write", name); err != nil {
		return err
	}
	return o.put(name, data, perm)
}

// checkParents returns an error if the name is below a file.
func (o *overlay) checkParents(op, name string) error {
	for at := path.Dir(name); at != "."; at = path.Dir(at) {
		if _, info, err := o.layer(op, at); err == nil && !info.IsDir() {
			return perr(op, name, ErrNotDir)
		}
	}
	return nil
}

// Remove hides a file or an empty directory of base, and removes it from the changes.
func (o *overlay) Remove(name string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.remove(name)
}

func (o *overlay) remove(name string) error {
	_, info, err := o.layer("remove", name)
	if err != nil {
		return err
	}
	if name == "." {
		return perr("remove", name, fs.ErrPermission)
	}
	if info.IsDir() {
		entries, _, err := o.entries(name)
		if err != nil {
			return err
		}
		if len(entries) > 0 {
			return perr("remove", name, ErrNotEmpty)
		}
	}
	if err := o.forget(name, info); err != nil {
		return err
	}
	if err := o.upper.Remove(o.wholeName(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	o.gone[o.wholeName(name)] = true
	return nil
}

// Mkdir makes one directory below an existing one.
func (o *overlay) Mkdir(name string, _ fs.FileMode) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := ValidNew(name); err != nil {
		return perr("mkdir", name, err)
	}
	if _, _, err := o.layer("mkdir", name); err == nil {
		return perr("mkdir", name, fs.ErrExist)
	}
	switch _, info, err := o.layer("mkdir", path.Dir(name)); {
	case err != nil:
		return perr("mkdir", name, plain(err))
	case !info.IsDir():
		return perr("mkdir", name, ErrNotDir)
	}
	return o.mkdirs(name)
}

// mkdirs creates a directory and its parents in upper.
func (o *overlay) mkdirs(name string) error {
	o.upper.mu.Lock()
	defer o.upper.mu.Unlock()
	_, err := o.upper.makeAll(o.wholeName(name))
	return err
}

// SubFS returns a directory as a tree: a nested handle of base, or an empty one
// if the directory exists only in memory.
func (o *overlay) SubFS(dir string) (FS, error) {
	info, err := o.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, perr("sub", dir, ErrNotDir)
	}
	if dir, err = o.Resolve(dir); err != nil {
		return nil, err
	}
	o.mu.RLock()
	defer o.mu.RUnlock()
	nested := Memory()
	if _, err := fs.Stat(o.base, dir); err == nil && !o.hidden(dir) {
		sub, ok := o.base.(SubFS)
		if !ok {
			return nil, perr("sub", dir, ErrInvalid)
		}
		if nested, err = sub.SubFS(dir); err != nil {
			return nil, err
		}
	}
	source := o.source
	if source != "" {
		source = path.Join(source, dir)
	}
	return &overlay{changes: o.changes, base: nested, at: o.wholeName(dir), source: source}, nil
}
