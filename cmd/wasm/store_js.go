package main

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall/js"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/sandbox/opfs"
)

// Where the page keeps things in the Origin Private File System.
const (
	projectsDir = "projects"
	stateDir    = ".golem"
	runsDir     = ".golem/runs"
	keptRuns    = 200
)

// stores opens the page's file system once.
type stores struct {
	once sync.Once
	root *opfs.FS
	err  error
}

// open is the directory of all projects.
func (s *stores) open() (*opfs.FS, error) {
	s.once.Do(func() { s.root, s.err = openRoot() })
	return s.root, s.err
}

func openRoot() (*opfs.FS, error) {
	storage := js.Global().Get("navigator").Get("storage")
	if storage.IsUndefined() || storage.Get("getDirectory").IsUndefined() {
		return nil, noStorage("this browser lends no file system")
	}
	dir, err := await(storage.Call("getDirectory"))
	if err != nil {
		return nil, noStorage(err.Error())
	}
	return opfs.Open(dir, "/")
}

func noStorage(why string) error {
	return fault.New(fault.Platform, "this page cannot keep files: %s", why).
		Hinting("open it over https or on localhost, and not in a private window")
}

// await waits for a promise.
func await(p js.Value) (js.Value, error) {
	type outcome struct {
		value js.Value
		err   error
	}
	ch := make(chan outcome, 1)
	yes := js.FuncOf(func(_ js.Value, a []js.Value) any { ch <- outcome{value: first(a)}; return nil })
	no := js.FuncOf(func(_ js.Value, a []js.Value) any {
		ch <- outcome{err: errors.New(js.Global().Get("String").Invoke(first(a)).String())}
		return nil
	})
	defer yes.Release()
	defer no.Release()
	p.Call("then", yes, no)
	o := <-ch
	return o.value, o.err
}

func first(a []js.Value) js.Value {
	if len(a) == 0 {
		return js.Undefined()
	}
	return a[0]
}

// projectName tells whether a project may have that name: one plain element.
func projectName(name string) error {
	if err := sandbox.ValidNew(name); err != nil || strings.Contains(name, "/") || name == "." || strings.HasPrefix(name, ".") || len(name) > 100 {
		return fault.New(fault.Path, "%q is no name for a project", name).Hinting("use letters, digits, spaces, - and _")
	}
	return nil
}

// project is the directory of an existing project.
func (s *stores) project(name string) (sandbox.FS, error) {
	if err := projectName(name); err != nil {
		return nil, err
	}
	root, err := s.open()
	if err != nil {
		return nil, err
	}
	dir, err := root.SubFS(path.Join(projectsDir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "there is no project %q", name).Hinting("it may have been deleted in another tab")
	}
	return dir, err
}

// make makes the directory of a new project.
func (s *stores) make(name string) (sandbox.FS, error) {
	if err := projectName(name); err != nil {
		return nil, err
	}
	root, err := s.open()
	if err != nil {
		return nil, err
	}
	if err := root.Mkdir(projectsDir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	err = root.Mkdir(path.Join(projectsDir, name), 0o755)
	if errors.Is(err, fs.ErrExist) {
		return nil, fault.New(fault.Conflict, "there is a project %q already", name).Hinting("choose another name")
	}
	if err != nil {
		return nil, err
	}
	return root.SubFS(path.Join(projectsDir, name))
}

// remove deletes a project with everything in it.
func (s *stores) remove(name string) error {
	if _, err := s.project(name); err != nil {
		return err
	}
	root, err := s.open()
	if err != nil {
		return err
	}
	return removeAll(root, path.Join(projectsDir, name))
}

func removeAll(fsys sandbox.FS, name string) error {
	entries, err := fs.ReadDir(fsys, name)
	if err != nil {
		return err
	}
	for _, e := range entries {
		full := path.Join(name, e.Name())
		if e.IsDir() {
			err = removeAll(fsys, full)
		} else {
			err = fsys.Remove(full)
		}
		if err != nil {
			return err
		}
	}
	return fsys.Remove(name)
}

// entry is one file or directory of a project, as the page lists it.
type entry struct {
	Path     string `json:"path"`
	Dir      bool   `json:"dir,omitempty"`
	Size     int64  `json:"size"`
	Modified int64  `json:"modified"` // milliseconds
}

// maxListed bounds a listing.
const maxListed = 20_000

// list is everything in a project but golem's own state.
func list(fsys fs.FS) ([]entry, error) {
	out := []entry{}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case name == stateDir:
			return fs.SkipDir
		case len(out) >= maxListed:
			return fs.SkipAll
		}
		e := entry{Path: name, Dir: d.IsDir()}
		if !e.Dir {
			info, err := d.Info()
			if err != nil {
				return err
			}
			e.Size, e.Modified = info.Size(), info.ModTime().UnixMilli()
		}
		out = append(out, e)
		return nil
	})
	return out, err
}

// keepNewest removes the oldest traces beyond keptRuns.
func keepNewest(fsys sandbox.FS) {
	entries, err := fs.ReadDir(fsys, runsDir)
	if err != nil || len(entries) <= keptRuns {
		return
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries[:len(entries)-keptRuns] {
		if fsys.Remove(path.Join(runsDir, e.Name())) != nil {
			return
		}
	}
}
