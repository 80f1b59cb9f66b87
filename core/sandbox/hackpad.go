package sandbox

import (
	"io/fs"

	"github.com/hack-pad/hackpadfs"
)

// HackpadFS lists the small interfaces of hackpadfs that golem's trees
// implement, so that hackpadfs's helpers work on them. Package sandboxtest runs
// hackpadfs's conformance suite and lists where golem differs on purpose. Two
// interfaces are missing: WriteFileFS has permissions, which a sandbox does not
// have, and SubFS restricts names by their prefix, which is not safe (SECURITY
// 2).
type HackpadFS interface {
	FS
	hackpadfs.OpenFileFS
	hackpadfs.MkdirFS
	hackpadfs.MkdirAllFS
	hackpadfs.RemoveFS
	hackpadfs.RenameFS
	hackpadfs.StatFS
	hackpadfs.ReadDirFS
}

var (
	_ HackpadFS = (*memory)(nil)
	_ HackpadFS = (*subtree)(nil)
	_ HackpadFS = (*overlay)(nil)
	_ HackpadFS = (*lazy)(nil)
	_ HackpadFS = (*view)(nil)
)

// OpenFile opens a file as the function OpenFile does.
func (m *memory) OpenFile(name string, flag int, perm fs.FileMode) (fs.File, error) {
	return OpenFile(m, name, flag, perm)
}

// MkdirAll creates directories as the function MkdirAll does.
func (m *memory) MkdirAll(name string, perm fs.FileMode) error { return MkdirAll(m, name, perm) }

// OpenFile opens a file as the function OpenFile does.
func (s *subtree) OpenFile(name string, flag int, perm fs.FileMode) (fs.File, error) {
	return OpenFile(s, name, flag, perm)
}

// MkdirAll creates directories as the function MkdirAll does.
func (s *subtree) MkdirAll(name string, perm fs.FileMode) error { return MkdirAll(s, name, perm) }

// OpenFile opens a file as the function OpenFile does.
func (o *overlay) OpenFile(name string, flag int, perm fs.FileMode) (fs.File, error) {
	return OpenFile(o, name, flag, perm)
}

// MkdirAll creates directories as the function MkdirAll does.
func (o *overlay) MkdirAll(name string, perm fs.FileMode) error { return MkdirAll(o, name, perm) }

// OpenFile opens a file as the function OpenFile does.
func (d *lazy) OpenFile(name string, flag int, perm fs.FileMode) (fs.File, error) {
	return OpenFile(d, name, flag, perm)
}

// MkdirAll creates directories as the function MkdirAll does.
func (d *lazy) MkdirAll(name string, perm fs.FileMode) error { return MkdirAll(d, name, perm) }

// OpenFile opens a file as the function OpenFile does.
func (v *view) OpenFile(name string, flag int, perm fs.FileMode) (fs.File, error) {
	return OpenFile(v, name, flag, perm)
}

// MkdirAll creates directories as the function MkdirAll does.
func (v *view) MkdirAll(name string, perm fs.FileMode) error { return MkdirAll(v, name, perm) }
