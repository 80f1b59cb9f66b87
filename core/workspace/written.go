package workspace

import (
	"bytes"
	"errors"
	"io/fs"

	"github.com/spf13/afero"

	"golem/core/fault"
	"golem/core/sandbox"
)

// Written returns the files of a tree that are new, or differ from those of the
// tree that it began as.
func Written(began, now fs.FS) (names []string, err error) {
	err = fs.WalkDir(now, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		old, there := fs.ReadFile(began, name)
		data, err := sandbox.ReadFile(now, name, MaxFile)
		if err == nil && (there != nil || !bytes.Equal(old, data)) {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

// Copy writes files of a tree to dst, all or none. A file that exists there is
// E_CONFLICT.
func Copy(dst afero.Fs, src fs.FS, names []string) error {
	nodes := make([]node, len(names))
	for i, name := range names {
		data, err := sandbox.ReadFile(src, name, MaxFile)
		if err != nil {
			return err
		}
		if _, err := dst.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			return fault.New(fault.Conflict, "%s is there already", shown(name)).Hinting("nothing was written; choose a new directory")
		}
		nodes[i] = node{name: name, data: data}
	}
	return write(dst, nodes)
}
