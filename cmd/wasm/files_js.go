package main

import (
	"cmp"
	"io"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/workspace"
	"golem/sandbox/opfs"
)

func listFiles(c *call, _ named, fsys *opfs.FS) (any, []byte, error) {
	all, err := list(fsys)
	return all, nil, err
}

func readFile(c *call, n named, fsys *opfs.FS) (any, []byte, error) {
	name, err := editable(n.Path)
	if err != nil {
		return nil, nil, err
	}
	if n.From < 0 || n.Size < 0 {
		return nil, nil, fault.New(fault.Usage, "from and size are numbers of bytes, not below 0")
	}
	if n.Size > 0 || n.From > 0 {
		data, err := part(fsys, name, n.From, cmp.Or(n.Size, workspace.MaxFile))
		return nil, data, err
	}
	data, err := sandbox.ReadFile(fsys, name, workspace.MaxFile)
	if data == nil && err == nil {
		data = []byte{}
	}
	return nil, data, err
}

// part reads up to size bytes of a file, from the offset from, at most
// workspace.MaxFile. Fewer bytes are no error.
func part(fsys *opfs.FS, name string, from, size int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data := make([]byte, max(0, min(size, workspace.MaxFile, info.Size()-from)))
	n, err := f.(io.ReaderAt).ReadAt(data, from)
	if err == io.EOF {
		err = nil
	}
	return data[:n], err
}

func writeFile(c *call, n named, data []byte) (any, []byte, error) {
	return nil, nil, changing(c, func(name string, fsys *opfs.FS) error {
		if n.Base != nil {
			now, err := sandbox.ReadFile(fsys, name, workspace.MaxFile)
			if err == nil && string(now) != *n.Base {
				err = fault.New(fault.Conflict, "%s has changed since it was read", sandbox.Abs(name)).Hinting("look at what changed, then save again")
			}
			if err != nil {
				return err
			}
		}
		return fsys.WriteFile(name, data)
	})
}

func deleteFile(c *call) (any, []byte, error) {
	return nil, nil, changing(c, func(name string, fsys *opfs.FS) error { return fsys.RemoveAll(name) })
}

func moveFile(c *call, n named) (any, []byte, error) {
	to, err := editable(n.To)
	if err == nil {
		err = notGit(to)
	}
	if err != nil {
		return nil, nil, err
	}
	return nil, nil, changing(c, func(name string, fsys *opfs.FS) error { return fsys.Rename(name, to) })
}
