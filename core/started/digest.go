package started

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"golem/core/sandbox"
)

// Limits of what is digested. A directory with more is not digested as a whole: the scope
// becomes Any.
const (
	maxBytes = 256 << 20
	maxFiles = 20_000
)

// Digest returns one line for each started file: "sha256:" and its SHA-256 in hex, a blank,
// and its name. A directory has one line with a slash after its name, for all that lies in
// it. scope is that of s, or Any if there is too much to digest.
func (t Tree) Digest(s Started) (lines []string, scope Scope) {
	scope = s.Scope
	left := &budget{bytes: maxBytes, files: maxFiles}
	for _, name := range s.Files {
		line, err := t.line(name, left)
		if errors.Is(err, errTooMuch) {
			scope = Any
		}
		lines = append(lines, line)
	}
	return lines, scope
}

var errTooMuch = errors.New("there is too much to compute a digest")

type budget struct {
	bytes int64
	files int
}

// line returns the line of one file or directory. With an error the line says what could
// not be read.
func (t Tree) line(name string, left *budget) (string, error) {
	info, err := fs.Stat(t.FS, name)
	switch {
	case err == nil && info.IsDir():
		sum, err := t.directory(name, left)
		if err != nil {
			return "unread " + name + "/", err
		}
		return sum + " " + name + "/", nil
	case err == nil && info.Mode().IsRegular():
		sum, err := t.file(name, left)
		if err != nil {
			return "unread " + name, err
		}
		return sum + " " + name, nil
	case errors.Is(err, fs.ErrNotExist):
		return "missing " + name, nil
	}
	return "outside " + name + " -> " + t.leads(name), nil // a link out of the project, or no file at all
}

// leads returns where a link leads, as far as the tree knows.
func (t Tree) leads(name string) string {
	if links, ok := t.FS.(sandbox.Resolver); ok {
		if real, err := links.Resolve(name); err == nil {
			return real
		}
	}
	if t.Locate != nil && t.Root != "" {
		return t.Locate(path.Join(t.Root, name), true)
	}
	return ""
}

func (t Tree) file(name string, left *budget) (string, error) {
	if left.files--; left.files < 0 {
		return "", errTooMuch
	}
	file, err := t.FS.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(err, fs.ErrInvalid)
	}
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(file, left.bytes+1))
	if left.bytes -= n; err == nil && left.bytes < 0 {
		err = errTooMuch
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), err
}

// directory returns the digest of the names and contents of all files below a directory.
// Git's and golem's own directories do not count.
func (t Tree) directory(dir string, left *budget) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(t.FS, dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, errTooMuch):
			return err
		case err != nil:
			fmt.Fprintf(h, "unread %q\n", name)
			return nil
		case name != dir && sandbox.Secret(strings.TrimPrefix(name, dir+"/")):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			if left.files--; left.files < 0 {
				return errTooMuch
			}
			return nil
		case d.Type()&fs.ModeSymlink == 0 && !d.Type().IsRegular():
			fmt.Fprintf(h, "special %q\n", name)
			return nil
		}
		line := "link " + name + " -> " + t.leads(name) // a followed link could lead in a circle
		if d.Type()&fs.ModeSymlink == 0 {
			if line, err = t.line(name, left); errors.Is(err, errTooMuch) {
				return err
			}
		}
		fmt.Fprintf(h, "%q\n", line)
		return nil
	})
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), err
}
