package wasmtool

import (
	"io/fs"

	"golem/core/fault"
	"golem/core/sandbox"
)

// secretFiles is the file view of a module that has secret values of the person. It
// refuses to write such a value into the content or the name of a file. It protects
// against mistakes only: a hostile module can encode the value.
type secretFiles struct {
	sandbox.FS
	kept KeptValues
}

var (
	_ sandbox.Asked = secretFiles{}
	_ fs.StatFS     = secretFiles{}
	_ fs.ReadDirFS  = secretFiles{}
	_ fs.ReadFileFS = secretFiles{}
)

// files returns what the module sees; nil if it was granted no files.
func (g Grants) files() sandbox.FS {
	if g.Files == nil || g.Kept == nil {
		return g.Files
	}
	return secretFiles{g.Files, g.Kept}
}

// checkNoSecret returns an error if the text contains a secret value.
func (s secretFiles) checkNoSecret(text, what string) error {
	if s.kept.Redact(text) == text {
		return nil
	}
	return fault.New(fault.Protected, "the module tried to write a secret value into %s, and such values are never kept in a project", what).
		Hinting("change the module so that it sends the value to its hosts only")
}

// WriteFile refuses a secret value in the content or the name.
func (s secretFiles) WriteFile(name string, data []byte) error {
	if err := s.checkNoSecret(name, "the name of a file"); err != nil {
		return err
	}
	if err := s.checkNoSecret(string(data), "a file"); err != nil {
		return err
	}
	return s.FS.WriteFile(name, data)
}

// Rename refuses a secret value in the new name.
func (s secretFiles) Rename(from, to string) error {
	if err := s.checkNoSecret(to, "the name of a file"); err != nil {
		return err
	}
	return s.FS.Rename(from, to)
}

// Mkdir refuses a secret value in the name.
func (s secretFiles) Mkdir(name string, perm fs.FileMode) error {
	if err := s.checkNoSecret(name, "the name of a directory"); err != nil {
		return err
	}
	return s.FS.Mkdir(name, perm)
}

// CanWrite refuses a name with a secret value when the file is opened for writing.
func (s secretFiles) CanWrite(name string) error {
	if err := s.checkNoSecret(name, "the name of a file"); err != nil {
		return err
	}
	return sandbox.CanWrite(s.FS, name)
}

// Stat describes a file or directory.
func (s secretFiles) Stat(name string) (fs.FileInfo, error) { return fs.Stat(s.FS, name) }

// ReadDir lists a directory.
func (s secretFiles) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(s.FS, name) }

// ReadFile reads a file.
func (s secretFiles) ReadFile(name string) ([]byte, error) { return fs.ReadFile(s.FS, name) }
