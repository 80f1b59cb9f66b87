package sandbox

import "io/fs"

// Permitting is an FS whose files have permissions.
type Permitting interface {
	// PermOf returns the permissions of a file or directory; 0: they are not known.
	PermOf(name string) fs.FileMode
	// WritePerm is WriteFile that gives the file these permissions, whatever it had; 0 is
	// WriteFile.
	WritePerm(name string, data []byte, perm fs.FileMode) error
}

// PermOf returns the permissions of a file or directory; 0 where none are known.
func PermOf(fsys fs.FS, name string) fs.FileMode {
	if p, ok := fsys.(Permitting); ok {
		return p.PermOf(name)
	}
	return 0
}

// WritePerm writes a file, with these permissions where files have some.
func WritePerm(fsys FS, name string, data []byte, perm fs.FileMode) error {
	if p, ok := fsys.(Permitting); ok {
		return p.WritePerm(name, data, perm)
	}
	return fsys.WriteFile(name, data)
}
