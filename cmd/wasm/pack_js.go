package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"golem/core"
	"golem/core/approval"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/sandbox"
	"golem/core/workspace"
	"golem/sandbox/opfs"
)

// packedDir is the directory that has, for each project that was made from a packed one, the
// record of its origin and its libraries. It is outside the projects, so that nothing in a
// project can change it.
const (
	packedDir  = "packed"
	packRecord = "pack.json"
)

// packAbout describes a packed project for the page.
type packAbout struct {
	workspace.Index
	Files  int               `json:"files"` // the number of files, in place of the list
	Bytes  int               `json:"bytes"` // the size of the packed file
	Signer *workspace.Signer `json:"signer,omitempty"`
}

// inspectPack verifies a packed project and describes it. It writes nothing.
func inspectPack(c *call, _ named, data []byte) (any, []byte, error) {
	p, err := workspace.ReadPack(data)
	if err != nil {
		return nil, nil, err
	}
	return packAbout{p.Index, len(p.Index.Files), p.Bytes, p.Signer}, nil, nil
}

// importPack makes a project from a packed one. It writes the project's files, and outside
// the project the record of its origin and its libraries.
func importPack(c *call, n named, data []byte) (any, []byte, error) {
	p, err := workspace.ReadPack(data)
	if err != nil {
		return nil, nil, err
	}
	s := c.server.stores
	return nil, nil, s.make(n.Project, func(dir *opfs.FS) error {
		root, err := s.open()
		if err != nil {
			return err
		}
		if err := workspace.CopyTree(workspace.Over(dir), p.Project); err != nil {
			return err
		}
		record, err := json.Marshal(origin{p.Index, p.Signer})
		if err == nil {
			err = root.WriteFile(path.Join(packedDir, n.Project, packRecord), record)
		}
		if err != nil {
			return err
		}
		libs := path.Join(packedDir, n.Project, "libs")
		if err := root.Mkdir(libs, 0o755); err != nil {
			return err
		}
		into, err := sub(root, libs)
		if err != nil {
			return err
		}
		return workspace.CopyTree(workspace.Over(into), p.Libs)
	})
}

// origin is the record of where a project came from, as pack.json has it.
type origin struct {
	workspace.Index
	Signer *workspace.Signer `json:"signer"`
}

// unpack removes the record of a project's origin and the libraries that came with it.
func unpack(root *opfs.FS, name string) error {
	if err := root.RemoveAll(path.Join(packedDir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// cameFrom returns a function that describes where a project came from, and the libraries
// that came with it. Both are nil if the project was not made from a packed one.
func (s *stores) cameFrom(name string, fsys *opfs.FS) ([]approval.Line, []project.LibraryRoot, error) {
	root, err := s.open()
	if err != nil {
		return nil, nil, err
	}
	dir, err := sub(root, path.Join(packedDir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	data, err := sandbox.ReadFile(dir, packRecord, workspace.MaxPack)
	var o origin
	if err == nil && json.Unmarshal(data, &o) != nil {
		err = fault.New(fault.Config, "golem's record of the packed file that this project came from is damaged").Hinting("delete the project and open its file again")
	}
	if err != nil {
		return nil, nil, err
	}
	libs, err := sub(dir, "libs")
	if err != nil {
		return nil, nil, err
	}
	pack := &workspace.Pack{Index: o.Index, Signer: o.Signer, Libs: libs}
	return append(core.PackLines(pack), changesSince(pack, fsys)...), core.PackLibraries(pack), nil
}

// changesSince returns a line that says how the project's files differ from the packed ones, and
// nil if they do not differ.
func changesSince(p *workspace.Pack, fsys *opfs.FS) []approval.Line {
	changed, added, err := p.Since(fsys)
	if err == nil && changed == 0 && added == 0 {
		return nil
	}
	value := fmt.Sprintf("files changed or removed: %d, added: %d", changed, added)
	if err != nil {
		value = "the files cannot be compared"
	}
	return []approval.Line{{Path: "since then, in this browser", Value: value, Means: "the digest and the signature are not about these"}}
}

// exportPack packs a project, as golem pack does, without a signature.
func exportPack(c *call, o opened) (any, []byte, error) {
	made, err := o.inst.Pack(nil, nil)
	if err != nil {
		return nil, nil, err
	}
	left := []string{}
	for _, l := range made.Left {
		left = append(left, l.Name)
	}
	return map[string]any{"left": left, "digest": made.Pack.Digest}, made.Data, nil
}
