package main

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"sync"
	"syscall/js"

	"golem/cmd/wasm/jsbytes"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/sandbox/opfs"
)

// Directories of the page in the Origin Private File System. While a project is being made,
// makingDir has a file of its name (the mark), from before its first file is written until
// all are written. If the tab dies meanwhile, the mark stays, and the incomplete project is
// removed when somebody next looks for it.
const (
	makingDir   = "making"
	projectsDir = "projects"
)

// stores opens the page's file system once, and keeps the locks that this tab holds.
type stores struct {
	once sync.Once
	root *opfs.FS
	err  error

	mu   sync.Mutex
	held map[string]*hold // by the project's path
	// unkept has random values, by the names of their files, which the browser's storage
	// had no room for. This tab uses them until they can be written.
	unkept map[string][]byte
}

// hold is a project's lock that this tab holds, for one or several users.
type hold struct {
	users   int
	alone   bool
	release func()
}

// hold takes a project's lock, so that no other tab can change the project until release is
// called. It fails with E_BUSY if another tab has it. This tab may hold it several times.
func (s *stores) hold(project *opfs.FS) (release func(), err error) {
	return s.holdAt(project, ".", false)
}

// holdAt does what hold does, for a project in under/dir that need not exist. With alone
// nothing else in this tab can hold it either: making and deleting a project need that.
func (s *stores) holdAt(under *opfs.FS, dir string, alone bool) (release func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := path.Join(under.Source(), dir)
	h := s.held[name]
	if h != nil && (alone || h.alone) {
		return nil, fault.New(fault.Busy, "the project %s is in use", path.Base(name)).Hinting("wait until what goes on in it has ended")
	}
	if h == nil {
		free, err := under.LockAt(dir)
		if err != nil {
			return nil, fault.New(fault.Busy, "the project %s is in use in another tab", path.Base(name)).
				Hinting("close the other tab, or wait until its run has ended")
		}
		h = &hold{release: free, alone: alone}
		if s.held == nil {
			s.held = map[string]*hold{}
		}
		s.held[name] = h
	}
	h.users++
	return func() { s.free(name, h) }, nil
}

func (s *stores) free(name string, h *hold) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.users--; h.users == 0 {
		delete(s.held, name)
		h.release()
	}
}

// open returns the root of the page's file system. It opens it at the first call and then
// returns the same file system or error.
func (s *stores) open() (*opfs.FS, error) {
	s.once.Do(func() { s.root, s.err = openRoot() })
	return s.root, s.err
}

// openRoot opens the directory that web/worker.js gives: the browser's storage, or memory if
// the browser gives this page no storage.
func openRoot() (*opfs.FS, error) {
	dir, err := jsbytes.Await(js.Global().Get("golemRoot"))
	if err != nil {
		return nil, err
	}
	return opfs.Open(dir, "/")
}

// outlive reports whether files remain when this tab is closed. It is known only after open
// has returned.
func (s *stores) outlive() bool { return !js.Global().Get("golemForgets").Truthy() }

// projectName returns an error if a project cannot have that name. A name is one path element
// of at most 100 bytes that does not begin with a dot.
func projectName(name string) error {
	if err := sandbox.ValidNew(name); err != nil || strings.Contains(name, "/") || name == "." || strings.HasPrefix(name, ".") || len(name) > 100 {
		return fault.New(fault.Path, "%q is not a valid name for a project", name).Hinting("use letters, digits, spaces, - and _")
	}
	return nil
}

// project returns the directory of a project. It fails with E_NOT_FOUND if there is none; an
// incomplete project is removed and counts as none.
func (s *stores) project(name string) (*opfs.FS, error) {
	if err := projectName(name); err != nil {
		return nil, err
	}
	root, err := s.open()
	if err != nil {
		return nil, err
	}
	dir, err := sub(root, path.Join(projectsDir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noProject(name)
	}
	if err != nil {
		return nil, err
	}
	if _, err := root.Stat(path.Join(makingDir, name)); err == nil {
		s.sweep(root, name)
		return nil, noProject(name)
	}
	return dir, nil
}

func noProject(name string) error {
	return fault.New(fault.NotFound, "there is no project %q", name).Hinting("it may have been deleted in another tab")
}

// sweep removes an incomplete project, unless this tab or another is making it now.
func (s *stores) sweep(root *opfs.FS, name string) {
	place := path.Join(projectsDir, name)
	s.mu.Lock()
	mine := s.held[path.Join(root.Source(), place)] != nil
	s.mu.Unlock()
	if mine {
		return
	}
	if free, err := root.LockAt(place); err == nil {
		_ = unmake(root, name) // if it fails, the next look tries again
		free()
	}
}

// unmake removes an incomplete project and then its mark.
func unmake(root *opfs.FS, name string) error {
	if err := root.RemoveAll(path.Join(projectsDir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return errors.Join(unpack(root, name), root.Remove(path.Join(makingDir, name)))
}

// sub opens a directory below root as a file system.
func sub(root *opfs.FS, dir string) (*opfs.FS, error) {
	f, err := root.SubFS(dir)
	if err != nil {
		return nil, err
	}
	return f.(*opfs.FS), nil
}

// make makes a new project; fill writes its files. The project exists when all files are
// written; if fill fails, it does not exist. A name that is taken is E_CONFLICT.
func (s *stores) make(name string, fill func(*opfs.FS) error) error {
	if err := projectName(name); err != nil {
		return err
	}
	root, err := s.open()
	if err != nil {
		return err
	}
	taken := fault.New(fault.Conflict, "a project named %q exists already", name).Hinting("choose another name")
	if _, err := s.project(name); err == nil {
		return taken
	}
	release, err := s.holdAt(root, path.Join(projectsDir, name), true)
	if err != nil {
		return err
	}
	defer release()
	if _, err := s.project(name); err == nil { // another tab was faster
		return taken
	}
	mark := path.Join(makingDir, name)
	if err := root.WriteFile(mark, nil); err != nil {
		return err
	}
	err = errors.Join(s.disown(root, name), unpack(root, name))
	var dir *opfs.FS
	if err == nil {
		dir, err = begin(root, path.Join(projectsDir, name))
	}
	if err == nil {
		err = fill(dir.Filling())
	}
	if err == nil {
		err = root.Remove(mark)
	}
	if err != nil && unmake(root, name) != nil {
		return fault.Of(err, fault.Path).Hinting("the incomplete copy %s is removed when the page is opened again", name)
	}
	return err
}

// begin makes a project's directory and returns it, empty.
func begin(root *opfs.FS, place string) (*opfs.FS, error) {
	if err := root.RemoveAll(place); err != nil && !errors.Is(err, fs.ErrNotExist) { // files of a tab that died
		return nil, err
	}
	for _, dir := range []string{projectsDir, place} {
		if err := root.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	return sub(root, place)
}

// remove deletes a project, and the person's files about it. It fails with E_BUSY while
// anything in this tab or another tab uses the project.
func (s *stores) remove(name string) error {
	dir, err := s.project(name)
	if err != nil {
		return err
	}
	release, err := s.holdAt(dir, ".", true)
	if err != nil {
		return err
	}
	defer release()
	root, err := s.open()
	if err != nil {
		return err
	}
	if err := s.disown(root, name); err != nil { // first: no trust may outlive the project
		return err
	}
	if err := unpack(root, name); err != nil {
		return err
	}
	return root.RemoveAll(path.Join(projectsDir, name))
}

// entry is one file or directory of a project, as the page lists it.
type entry struct {
	Path     string `json:"path"`
	Dir      bool   `json:"dir,omitempty"`
	Size     int64  `json:"size"`
	Modified int64  `json:"modified"` // milliseconds
}

// maxListed is how many entries a listing has at most.
const maxListed = 20_000

// list returns the files and directories of a project as a JavaScript array of entries,
// without golem's own state and .git.
func list(fsys *opfs.FS) (js.Value, error) {
	return fsys.Walk(".", sandbox.StateDir+"/.git", maxListed)
}
