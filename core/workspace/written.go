package workspace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"strings"

	"github.com/spf13/afero"

	"golem/core/fault"
	"golem/core/sandbox"
)

// Written returns the files of the tree now that are not in the tree began or differ
// from the files there.
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

// Since compares the project files of a packed project with a tree that was unpacked from
// it. changed is the number of files that differ or are missing in the tree, added the
// number of files that only the tree has. golem's own state does not count.
func (x Index) Since(now fs.FS) (changed, added int, err error) {
	was := map[string]string{}
	for _, f := range x.Files {
		if name, ok := strings.CutPrefix(f.Path, packProject+"/"); ok {
			was[name] = f.SHA256
		}
	}
	err = fs.WalkDir(now, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case isExcluded(name, false) && d.IsDir():
			return fs.SkipDir
		case isExcluded(name, false), d.IsDir():
			return nil
		}
		digest, there := was[name]
		delete(was, name)
		if !there {
			added++
			return nil
		}
		data, err := sandbox.ReadFile(now, name, MaxFile)
		sum := sha256.Sum256(data)
		if hex.EncodeToString(sum[:]) != digest {
			changed++
		}
		return err
	})
	return changed + len(was), added, err
}

// CopyTree writes all files and directories of a tree to dst, all or none. dst must be
// empty.
func CopyTree(dst afero.Fs, src fs.FS) error {
	var nodes []node
	err := fs.WalkDir(src, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		n := node{name: name, dir: d.IsDir()}
		if !n.dir {
			n.data, err = sandbox.ReadFile(src, name, MaxFile)
		}
		nodes = append(nodes, n)
		return err
	})
	if err != nil {
		return err
	}
	return write(dst, nodes)
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
			return fault.New(fault.Conflict, "%s is there already", safeName(name)).Hinting("nothing was written; choose a new directory")
		}
		nodes[i] = node{name: name, data: data}
	}
	return write(dst, nodes)
}
