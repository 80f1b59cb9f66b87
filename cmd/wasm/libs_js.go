package main

import (
	"context"
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

// libraryRoots returns the one place where projects find libraries: those of this browser.
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

// libs returns the directory of the libraries. If it does not exist, libs makes it when
// create is true, and else returns nil.
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

// librariesWait is how long a change waits for another change, in any tab.
const librariesWait = 10 * time.Second

// changeLibraries runs change while it holds the lock of the libraries, which excludes all
// other changes, in this tab too. It waits for the lock until ctx ends and then fails with
// E_BUSY.
func (s *stores) changeLibraries(ctx context.Context, change func(workspace.Libraries) error) error {
	dir, err := s.libs(true)
	if err != nil {
		return err
	}
	release, err := waitLock(ctx, dir, ".")
	if errors.Is(err, fault.Busy) {
		return fault.New(fault.Busy, "the libraries of this browser are being changed, perhaps in another tab").Hinting("wait until that has ended")
	}
	if err != nil {
		return err
	}
	defer release()
	return change(workspace.Libraries{Root: workspace.Over(dir), Marks: true})
}

// listLibraries returns the installed libraries, and a fault for each that cannot be used.
func listLibraries(c *call) (any, []byte, error) {
	out := struct {
		Libraries []workspace.Library `json:"libraries"`
		Faults    fault.List          `json:"faults"`
	}{Libraries: []workspace.Library{}, Faults: fault.List{}}
	dir, err := c.server.stores.libs(false)
	if dir == nil || err != nil {
		return out, nil, err
	}
	atOnce, stop := context.WithCancel(c.ctx)
	stop() // if another tab changes the libraries now, do not wait for it
	if err := c.server.stores.changeLibraries(atOnce, workspace.Libraries.Recover); err != nil && !errors.Is(err, fault.Busy) {
		return out, nil, err
	}
	libs, faults, err := workspace.Libraries{Root: workspace.Over(dir), Marks: true}.List()
	out.Libraries, out.Faults = append(out.Libraries, libs...), append(out.Faults, faults...)
	return out, nil, err
}

// installAsked has the parameters of installLibrary.
type installAsked struct {
	From   string `json:"from"`
	Update bool   `json:"update"`
	Look   bool   `json:"look"`
	Dir    string `json:"dir"` // the installed library whose source has these files now; see workspace.Libraries.Update

	Names []string `json:"names"` // of the bytes, in order; none: the bytes are a zip
}

// installLibrary installs a library from a zip, or from files with their names. from says
// where the library came from. With update it replaces the installed library of that name
// and version; with update and look it only returns what that would change.
func installLibrary(c *call, n installAsked) (any, []byte, error) {
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
	ctx, stop := context.WithTimeout(c.ctx, librariesWait)
	defer stop()
	err := c.server.stores.changeLibraries(ctx, func(l workspace.Libraries) (err error) {
		from := workspace.Origin{From: n.From}
		if n.Update {
			var there bool
			lib, there, changes, err = l.Compare(n.Dir, content, from)
			if fresh = !there; err == nil && !n.Look {
				_, _, _, err = l.Update(n.Dir, content, from)
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

// removeLibraryAsked has the parameters of removeLibrary.
type removeLibraryAsked struct {
	Library string `json:"library"`
}

func removeLibrary(c *call, n removeLibraryAsked) (any, []byte, error) {
	ctx, stop := context.WithTimeout(c.ctx, librariesWait)
	defer stop()
	return nil, nil, c.server.stores.changeLibraries(ctx, func(l workspace.Libraries) error {
		_, err := l.Remove(n.Library)
		return err
	})
}
