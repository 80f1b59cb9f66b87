package sandbox

import "io/fs"

// Permitting is an FS whose files have permissions.
type Permitting interface {
	// PermOf returns the permissions of a file or directory, or 0 if they are unknown.
	PermOf(name string) fs.FileMode
	// WritePerm replaces a file as WriteFile does and gives it these permissions. With
	// perm 0 it is the same as WriteFile.
	WritePerm(name string, data []byte, perm fs.FileMode) error
}

// PermOf returns the permissions of a file or directory, or 0 if they are unknown.
func PermOf(fsys fs.FS, name string) fs.FileMode {
	if p, ok := fsys.(Permitting); ok {
		return p.PermOf(name)
	}
	return 0
}

// WritePerm replaces a file. The file gets these permissions if the tree is Permitting.
func WritePerm(fsys FS, name string, data []byte, perm fs.FileMode) error {
	if p, ok := fsys.(Permitting); ok {
		return p.WritePerm(name, data, perm)
	}
	return fsys.WriteFile(name, data)
}
