package sandbox

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"sync"

	"golem/core/fault"
)

// Lazy returns the directory at name in parent, which may not exist yet: until
// it exists it reads as empty, and the first write creates it. Examples are the
// project's .golem and mounts such as ./output. name is an io/fs name.
func Lazy(parent SubFS, name string) SubFS {
	if p, ok := parent.(*lazy); ok { // so that the parent is created, too
		return &lazy{parent: p.parent, name: path.Join(p.name, name)}
	}
	return &lazy{parent: parent, name: name}
}

type lazy struct {
	parent SubFS
	name   string // io/fs name in parent

	mu   sync.Mutex
	real FS
}

var (
	_ SubFS        = (*lazy)(nil)
	_ fs.StatFS    = (*lazy)(nil)
	_ fs.ReadDirFS = (*lazy)(nil)

	_ Resolver   = (*lazy)(nil)
	_ Permitting = (*lazy)(nil)
	_ Identifier = (*lazy)(nil)
)

// fs returns the directory itself, or nil while it does not exist.
func (d *lazy) fs() (FS, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.find()
}

func (d *lazy) find() (FS, error) {
	if d.real != nil {
		return d.real, nil
	}
	real, err := d.parent.SubFS(d.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil && d.name == StateDir {
		return nil, stateError(err)
	}
	if err != nil {
		return nil, err
	}
	if is, want := SourceOf(real, ""), d.Source(); is != "" && want != "" && is != want {
		if d.name == StateDir {
			return nil, stateError(ErrNotDir)
		}
		return nil, fault.New(fault.Path, "%s has become a symbolic link during the run", Abs(d.name)).
			Hinting("replace the link by a directory, or mount the directory that it points to")
	}
	d.real = real
	return real, nil
}

// Source returns where the directory is or will be, or "" if the parent does
// not know where it is itself.
func (d *lazy) Source() string {
	if parent := SourceOf(d.parent, ""); parent != "" {
		return path.Join(parent, d.name)
	}
	return ""
}

// make returns the directory itself and creates it if necessary.
func (d *lazy) make() (FS, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if real, err := d.find(); real != nil || err != nil {
		return real, err
	}
	var at string
	for elem := range strings.SplitSeq(d.name, "/") {
		at = path.Join(at, elem)
		if at == StateDir {
			if err := MakeState(d.parent); err != nil {
				return nil, err
			}
			continue
		}
		if err := d.parent.Mkdir(at, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	real, err := d.find()
	if real == nil && err == nil {
		err = fault.New(fault.NotFound, "the directory %s was removed during the run", Abs(d.name))
	}
	return real, err
}

// MakeMounts creates the directories of a view's writable mounts that do not exist yet.
func MakeMounts(fsys FS) error {
	v, ok := fsys.(*view)
	if !ok {
		return nil
	}
	for i := range v.mounts {
		m := &v.mounts[i]
		if d, later := m.fs.(*lazy); later && v.modeOf(m) == ReadWrite {
			if _, err := d.make(); err != nil {
				return err
			}
		}
	}
	return nil
}

func missing(op, name string) error { return &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist} }

// Open opens a file of the directory, or an empty root while the directory does
// not exist.
func (d *lazy) Open(name string) (fs.File, error) {
	real, err := d.fs()
	switch {
	case err != nil:
		return nil, err
	case real != nil:
		return real.Open(name)
	case name == ".":
		return openDir(emptyInfo, nil), nil
	}
	return nil, missing("open", name)
}

// Stat describes a file. While the directory does not exist, only its root exists.
func (d *lazy) Stat(name string) (fs.FileInfo, error) {
	real, err := d.fs()
	switch {
	case err != nil:
		return nil, err
	case real != nil:
		return fs.Stat(real, name)
	case name == ".":
		return emptyInfo, nil
	}
	return nil, missing("stat", name)
}

// ReadDir lists nothing while the directory does not exist.
func (d *lazy) ReadDir(name string) ([]fs.DirEntry, error) {
	real, err := d.fs()
	switch {
	case err != nil:
		return nil, err
	case real != nil:
		return fs.ReadDir(real, name)
	case name == ".":
		return nil, nil
	}
	return nil, missing("readdir", name)
}

// WriteFile creates the directory if necessary and replaces a file in it.
func (d *lazy) WriteFile(name string, data []byte) error { return d.WritePerm(name, data, 0) }

// PermOf returns a file's permissions, or 0 while the directory does not exist.
func (d *lazy) PermOf(name string) fs.FileMode {
	real, err := d.fs()
	if err != nil {
		return 0
	}
	return PermOf(real, name)
}

// WritePerm creates the directory if necessary and replaces a file in it.
func (d *lazy) WritePerm(name string, data []byte, perm fs.FileMode) error {
	real, err := d.make()
	if err != nil {
		return err
	}
	return WritePerm(real, name, data, perm)
}

// Mkdir creates the lazy directory if necessary, and one directory in it.
func (d *lazy) Mkdir(name string, perm fs.FileMode) error {
	real, err := d.make()
	if err != nil {
		return err
	}
	return real.Mkdir(name, perm)
}

// Remove deletes a file or an empty directory. It returns fs.ErrNotExist while the lazy
// directory does not exist.
func (d *lazy) Remove(name string) error {
	real, err := d.fs()
	if err != nil {
		return err
	}
	if real == nil {
		return missing("remove", name)
	}
	return real.Remove(name)
}

// Rename moves a file or directory. It returns fs.ErrNotExist while the lazy directory
// does not exist.
func (d *lazy) Rename(oldName, newName string) error {
	real, err := d.fs()
	if err != nil {
		return err
	}
	if real == nil {
		return missing("rename", oldName)
	}
	return real.Rename(oldName, newName)
}

// SubFS returns a nested directory, which is also lazy while it does not exist.
func (d *lazy) SubFS(dir string) (FS, error) {
	real, err := d.fs()
	if err != nil {
		return nil, err
	}
	if real == nil {
		return Lazy(d, dir), nil
	}
	sub, ok := real.(SubFS)
	if !ok {
		return nil, fault.New(fault.Path, "this file system cannot open a directory as a sandbox of its own")
	}
	return sub.SubFS(dir)
}

// Resolve follows links inside the directory; while it does not exist, there
// are none.
func (d *lazy) Resolve(name string) (string, error) {
	real, err := d.fs()
	if err != nil {
		return "", err
	}
	if r, ok := real.(Resolver); ok {
		return r.Resolve(name)
	}
	return name, nil
}

// SameFile compares files as the directory itself does.
func (d *lazy) SameFile(a, b fs.FileInfo) bool {
	real, err := d.fs()
	id, ok := real.(Identifier)
	return err == nil && ok && id.SameFile(a, b)
}

// emptyInfo describes the root of a directory that does not exist yet.
var emptyInfo = Info{Base: ".", Perm: fs.ModeDir | 0o700}
