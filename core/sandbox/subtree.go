package sandbox

import "io/fs"

// subtree is a directory of a tree that cannot open nested handles (memory). It
// checks names, so that none leads out of the directory.
type subtree struct {
	base FS
	dir  string
}

var (
	_ FS           = (*subtree)(nil)
	_ fs.StatFS    = (*subtree)(nil)
	_ fs.ReadDirFS = (*subtree)(nil)
	_ SubFS        = (*subtree)(nil)
)

func (s *subtree) fullName(op, name string) (string, error) {
	if err := Valid(name); err != nil {
		return "", perr(op, name, err)
	}
	return join(s.dir, name), nil
}

// Open opens a file or directory below the directory.
func (s *subtree) Open(name string) (fs.File, error) {
	full, err := s.fullName("open", name)
	if err != nil {
		return nil, err
	}
	return s.base.Open(full)
}

// Stat describes a file or directory.
func (s *subtree) Stat(name string) (fs.FileInfo, error) {
	full, err := s.fullName("stat", name)
	if err != nil {
		return nil, err
	}
	return fs.Stat(s.base, full)
}

// ReadDir lists a directory, sorted by name.
func (s *subtree) ReadDir(name string) ([]fs.DirEntry, error) {
	full, err := s.fullName("readdir", name)
	if err != nil {
		return nil, err
	}
	return fs.ReadDir(s.base, full)
}

// WriteFile replaces a file and creates its parents.
func (s *subtree) WriteFile(name string, data []byte) error {
	full, err := s.fullName("write", name)
	if err != nil {
		return err
	}
	return s.base.WriteFile(full, data)
}

// Remove deletes a file or an empty directory, never the subtree's root.
func (s *subtree) Remove(name string) error {
	full, err := s.fullName("remove", name)
	if err != nil {
		return err
	}
	if name == "." {
		return perr("remove", name, fs.ErrPermission)
	}
	return s.base.Remove(full)
}

// Rename moves within the directory.
func (s *subtree) Rename(oldName, newName string) error {
	from, err := s.fullName("rename", oldName)
	if err != nil {
		return err
	}
	to, err := s.fullName("rename", newName)
	if err != nil {
		return err
	}
	if oldName == "." || newName == "." {
		return perr("rename", oldName, fs.ErrPermission)
	}
	return s.base.Rename(from, to)
}

// Mkdir makes one directory.
func (s *subtree) Mkdir(name string, perm fs.FileMode) error {
	full, err := s.fullName("mkdir", name)
	if err != nil {
		return err
	}
	return s.base.Mkdir(full, perm)
}

// SubFS returns a directory as a tree of its own.
func (s *subtree) SubFS(dir string) (FS, error) {
	full, err := s.fullName("sub", dir)
	if err != nil {
		return nil, err
	}
	sub, ok := s.base.(SubFS)
	if !ok {
		return nil, perr("sub", dir, ErrInvalid)
	}
	return sub.SubFS(full)
}
