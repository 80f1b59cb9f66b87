package main

import (
	"errors"
	"io/fs"
	"syscall/js"
	"time"

	"golem/cmd/wasm/jsbytes"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/sandbox"
	"golem/core/workspace"
	"golem/sandbox/opfs"
)

// libsDir is the directory of the libraries that are installed in this browser,
// beside the projects.
const libsDir = "libs"

// libraryRoots are where projects find libraries.
func (s *stores) libraryRoots() ([]project.LibraryRoot, error) {
	dir, err := s.libs(false)
	if err != nil {
		return nil, err
	}
	var found fs.FS = sandbox.Memory() // none is installed
	if dir != nil {
		found, err = workspace.Whole(dir)
	}
	return []project.LibraryRoot{{Label: "the libraries of this browser", FS: found}}, err
}

// libs is the directory of libraries; nil if it does not exist and is not to be
// made.
func (s *stores) libs(create bool) (*opfs.FS, error) {
	root, err := s.open()
	if err != nil {
		return nil, err
	}
	if create {
		if err := root.Mkdir(libsDir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	dir, err := sub(root, libsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return dir, err
}

// changeLibraries runs a change with the libraries kept from other tabs.
func (s *stores) changeLibraries(change func(workspace.Libraries) error) error {
	dir, err := s.libs(true)
	if err != nil {
		return err
	}
	release, err := dir.LockAt(".")
	// A lock that this tab has just given back is free only a moment later.
	for n := 0; n < 40 && errors.Is(err, fault.Busy); n++ {
		time.Sleep(50 * time.Millisecond)
		release, err = dir.LockAt(".")
	}
	if err != nil {
		return fault.New(fault.Busy, "libraries are being changed in another tab").Hinting("wait until that has ended")
	}
	defer release()
	return change(workspace.Libraries{Root: workspace.Over(dir), Marks: true})
}

// listLibraries are the installed libraries, and why others cannot be used.
func listLibraries(c *call) (any, []byte, error) {
	out := struct {
		Libraries []workspace.Library `json:"libraries"`
		Faults    fault.List          `json:"faults"`
	}{Libraries: []workspace.Library{}, Faults: fault.List{}}
	dir, err := c.server.stores.libs(false)
	if dir == nil || err != nil {
		return out, nil, err
	}
	if err := c.server.stores.changeLibraries(workspace.Libraries.Recover); err != nil && !errors.Is(err, fault.Busy) {
		return out, nil, err
	}
	libs, faults, err := workspace.Libraries{Root: workspace.Over(dir), Marks: true}.List()
	out.Libraries, out.Faults = append(out.Libraries, libs...), append(out.Faults, faults...)
	return out, nil, err
}

// installLibrary installs one from a zip, or from files with their names. from
// says where it came from. update puts it in the place of the installed one of its
// name and version; look only says what that would change.
func installLibrary(c *call) (any, []byte, error) {
	var n struct {
		From   string `json:"from"`
		Update bool   `json:"update"`
		Look   bool   `json:"look"`

		Names []string `json:"names"` // of the bytes, in order; none: the bytes are a zip
	}
	if err := c.decode(&n); err != nil {
		return nil, nil, err
	}
	var content workspace.Content
	if len(n.Names) == 0 {
		data, err := given(c)
		if err == nil {
			content, err = workspace.ZipContent(data)
		}
		if err != nil {
			return nil, nil, err
		}
	} else {
		if c.bytes.Type() != js.TypeObject || c.bytes.Length() != len(n.Names) {
			return nil, nil, fault.New(fault.Usage, "the content of the files is missing")
		}
		files := map[string][]byte{}
		for i, name := range n.Names {
			files[name] = jsbytes.Bytes(c.bytes.Index(i))
		}
		var err error
		if content, err = workspace.FilesContent(files, nil); err != nil {
			return nil, nil, err
		}
	}
	var lib workspace.Library
	fresh := false
	var changes []string
	err := c.server.stores.changeLibraries(func(l workspace.Libraries) (err error) {
		from := workspace.Origin{From: n.From}
		if n.Update {
			var there bool
			lib, there, changes, err = l.Compare(content, from)
			if fresh = !there; err == nil && !n.Look {
				_, _, err = l.Update(content, from)
			}
			return err
		}
		lib, fresh, err = l.Install(content, from)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	roots, err := c.server.stores.libraryRoots()
	return map[string]any{
		"library": lib, "fresh": fresh, "changes": changes, "left": content.Left, "missing": project.MissingLibraries(lib.Dependencies, roots),
	}, nil, err
}

func removeLibrary(c *call) (any, []byte, error) {
	var n struct {
		Library string `json:"library"`
	}
	if err := c.decode(&n); err != nil {
		return nil, nil, err
	}
	return nil, nil, c.server.stores.changeLibraries(func(l workspace.Libraries) error {
		_, err := l.Remove(n.Library)
		return err
	})
}
