package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/spf13/afero"

	"golem/core/fault"
	"golem/core/sandbox"
)

// Libraries is a directory of installed libraries, such as $GOLEM_HOME/libs. Each
// library is in NAME@VERSION/, or in NAME/ if it has no version (SPEC §4). A caller
// of Install, Update, Compare, Remove or Recover must hold a lock, so that only one
// process or tab at a time changes the directory.
type Libraries struct {
	Root afero.Fs
	// Marks is for a tree that renames a directory file by file (OPFS). A file beside
	// a library, the mark, then means that a change of the library is not finished; the
	// library is not listed while the mark exists. An update is first written beside
	// the library, so that the next Recover can finish an update that was killed.
	Marks bool
}

// Library is an installed library.
type Library struct {
	Name         string   `json:"name"`
	Version      string   `json:"version,omitempty"`
	Description  string   `json:"description,omitempty"`
	Exports      []string `json:"exports,omitempty"` // nil: every worker
	Dependencies []string `json:"dependencies,omitempty"`
	Dir          string   `json:"dir"` // its directory in the root
	Origin       Origin   `json:"origin,omitzero"`
}

// MovedAway and the name of a library's directory is where an update moves the old
// library.
const MovedAway = ".replaced-"

// The names of directories of unfinished changes begin with these prefixes, followed
// by the directory name of the library; see Recover.
const (
	installing = ".installing-"
	replaced   = MovedAway
	removed    = ".removed-"
	marked     = ".half-" // a file, see Libraries.Marks
)

// Install installs a library completely or not at all: it writes the files beside the
// library's directory and renames. fresh is false if the same files are installed
// already. If other files are installed, Install returns E_CONFLICT.
func (l Libraries) Install(c Content, from Origin) (lib Library, fresh bool, err error) {
	lib, err = l.planned(c, from)
	if err != nil {
		return Library{}, false, err
	}
	switch there, err := l.installedDir(lib.Dir); {
	case err != nil:
		return Library{}, false, err
	case there == "":
		return lib, true, l.put(lib, c)
	case there != lib.Dir:
		return Library{}, false, fault.New(fault.Conflict, "%s and the installed %s are the same directory on systems that ignore case", lib.Dir, there).
			Hinting("nothing was installed; remove the other one with golem lib remove %s", there).InPage("", "nothing was installed; remove the other one first")
	}
	old, err := l.content(lib.Dir)
	if err != nil {
		return Library{}, false, err
	}
	if old.digest() != c.digest() {
		return Library{}, false, fault.New(fault.Conflict, "%s is installed already, with other files, from %s", lib.Dir, knownPlace(readOrigin(l.Tree(lib.Dir)).From)).
			Hinting("nothing was changed; golem lib update %s installs it again from there, golem lib remove %s removes it", lib.Dir, lib.Dir).InPage("", "nothing was changed; Update installs it again from there, Remove removes it")
	}
	return lib, false, nil
}

// planned returns the library as it will be listed after it is installed. It also calls
// Recover.
func (l Libraries) planned(c Content, from Origin) (Library, error) {
	lib, err := described(c.tree())
	if err != nil {
		return Library{}, err
	}
	lib.Dir = lib.Name
	if lib.Version != "" {
		lib.Dir += "@" + lib.Version
	}
	if err := named(lib.Dir); err != nil || strings.ContainsAny(lib.Dir, "/") || strings.HasPrefix(lib.Dir, ".") {
		return Library{}, fault.New(fault.Config, "name %s and version %s of the library cannot be the name of a directory", fault.Quoted(lib.Name), fault.Quoted(lib.Version)).
			Hinting("use letters, digits and -")
	}
	lib.Origin = from
	lib.Origin.Digest = c.digest()
	return lib, l.Recover()
}

// installedDir returns the installed directory whose name equals dir, or is the same directory
// on some systems, or "" if there is none.
func (l Libraries) installedDir(dir string) (string, error) {
	names, err := l.dirs()
	for _, name := range names {
		if sandbox.Fold(name) == sandbox.Fold(dir) {
			return name, err
		}
	}
	return "", err
}

// put writes the library beside its directory and then renames it. An existing
// directory is renamed before; see Standing. With Marks, put uses marks instead of
// renaming.
func (l Libraries) put(lib Library, c Content) error {
	tmp := installing + lib.Dir
	_, err := l.Root.Stat(lib.Dir)
	update := l.Marks && err == nil
	if l.Marks && !update {
		tmp = lib.Dir
	}
	record, err := lib.Origin.encode()
	if err != nil {
		return err
	}
	nodes := []node{{name: tmp, dir: true}}
	if l.Marks && !update {
		nodes = append([]node{{name: marked + lib.Dir}}, nodes...)
	}
	for _, f := range c.files {
		nodes = append(nodes, node{name: path.Join(tmp, f.name), data: f.data})
	}
	nodes = append(nodes, node{name: path.Join(tmp, originFile), data: record})
	if err := write(l.Root, nodes); err != nil {
		return l.notWritten(lib.Dir, err)
	}
	if update {
		if err := write(l.Root, []node{{name: marked + lib.Dir}}); err != nil {
			return l.notWritten(lib.Dir, err)
		}
		return l.replace(lib.Dir)
	}
	if l.Marks {
		return l.unmark(lib.Dir)
	}
	old := replaced + lib.Dir
	if err = l.Root.Rename(lib.Dir, old); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil {
		err = l.Root.Rename(tmp, lib.Dir)
	}
	if err != nil {
		return l.notWritten(lib.Dir, errors.Join(err, l.Recover()))
	}
	return nil // a run that reads the old files goes on; the next change removes them
}

// Recover finishes or undoes the changes that a killed process left unfinished. A
// library that was renamed is renamed back if there is no new one. A marked library of
// which a complete new version is beside it is replaced by that version. The rest is
// removed.
func (l Libraries) Recover() error {
	entries, err := afero.ReadDir(l.Root, ".")
	if err != nil {
		return l.notWritten("libs", err)
	}
	for _, e := range entries {
		dir, moved := strings.CutPrefix(e.Name(), replaced)
		half, isMark := strings.CutPrefix(e.Name(), marked)
		switch {
		case isMark:
			settle := l.drop
			if _, err := l.Root.Stat(installing + half); err == nil {
				settle = l.replace
			}
			if err := settle(half); err != nil {
				return err
			}
			continue
		case moved:
			if _, err := l.Root.Stat(dir); errors.Is(err, fs.ErrNotExist) {
				if err := l.Root.Rename(e.Name(), dir); err != nil {
					return l.notWritten(dir, err)
				}
				continue
			}
		case !strings.HasPrefix(e.Name(), installing) && !strings.HasPrefix(e.Name(), removed):
			continue
		}
		err := l.Root.RemoveAll(e.Name())
		if err != nil && moved {
			err = l.Root.Rename(e.Name(), l.unused(dir))
		}
		if err != nil && !strings.HasPrefix(e.Name(), removed) { // a link stays there, and is in nobody's way
			return l.notWritten(e.Name(), err)
		}
	}
	return nil
}

// unused returns a name that does not exist yet for the files of a library that are to be
// removed.
func (l Libraries) unused(dir string) string {
	name := removed + dir
	for n := 2; ; n++ {
		if _, err := l.Root.Stat(name); err != nil {
			return name
		}
		name = fmt.Sprintf("%s%s.%d", removed, dir, n)
	}
}

func (l Libraries) notWritten(dir string, err error) error {
	if errors.Is(err, fault.Quota) {
		return fault.New(fault.Quota, "%s cannot be written: the disk is full", safeName(dir)).
			Hinting("what was installed before is unchanged; free some space and try again")
	}
	return fault.New(fault.Path, "%s cannot be written: %w", safeName(dir), reason(err)).
		Hinting("what was installed before is unchanged; make the directory of libraries writable and try again")
}

// dirs returns the directories of the root that may be libraries, sorted, without
// marked ones.
func (l Libraries) dirs() ([]string, error) {
	entries, err := afero.ReadDir(l.Root, ".")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.New(fault.Path, "the directory of libraries cannot be read: %w", reason(err))
	}
	var out []string
	half := map[string]bool{}
	for _, e := range entries {
		if dir, ok := strings.CutPrefix(e.Name(), marked); ok {
			half[dir] = true
		} else if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			out = append(out, e.Name())
		}
	}
	out = slices.DeleteFunc(out, func(dir string) bool { return half[dir] })
	slices.Sort(out)
	return out, nil
}

// List returns the installed libraries, sorted by directory. faults has a warning with
// the reason for each directory that cannot be used.
func (l Libraries) List() (libs []Library, faults fault.List, err error) {
	dirs, err := l.dirs()
	for _, dir := range dirs {
		lib, err := l.read(dir)
		if err != nil {
			f := fault.Of(err, fault.Config)
			faults = append(faults, fault.Warn(f.Code, "%s cannot be used: %s", safeName(dir), f.Message).Hinting("install it again, or remove it with golem lib remove %s", safeName(dir)).InPage("", "install it again, or remove it in the view Projects, under Libraries"))
			continue
		}
		libs = append(libs, lib)
	}
	return libs, faults, err
}

// read returns the library that is installed in a directory.
func (l Libraries) read(dir string) (Library, error) {
	tree := l.Tree(dir)
	lib, err := described(tree)
	if err != nil {
		return Library{}, err
	}
	lib.Dir, lib.Origin = dir, readOrigin(tree)
	return lib, nil
}

// Tree returns the files of the library that is installed in a directory.
func (l Libraries) Tree(dir string) fs.FS { return below{afero.NewIOFS(l.Root), dir} }

// below is one directory of a tree.
type below struct {
	fs  fs.FS
	dir string
}

// Open opens a file by its name in the directory.
func (b below) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return b.fs.Open(path.Join(b.dir, name))
}

// content returns the files that are installed in a directory, without the file that
// golem wrote there.
func (l Libraries) content(dir string) (Content, error) {
	c, err := DirContent(l.Tree(dir))
	if err != nil {
		return c, fault.New(fault.Path, "the installed %s cannot be read: %s", dir, fault.Of(err, fault.Path).Message).
			Hinting("remove it with golem lib remove %s", dir).InPage("", "remove it in the view Projects, under Libraries")
	}
	return c, nil
}

// Find returns the installed library for ref, which is NAME or NAME@VERSION. If several
// directories NAME@VERSION have it, and none is called NAME, NAME alone is E_AMBIGUOUS. A library that is not
// installed is E_LIBRARY_NOT_FOUND.
func (l Libraries) Find(ref string) (Library, error) {
	dir, err := l.find(ref)
	if err != nil {
		return Library{}, err
	}
	return l.read(dir)
}

func (l Libraries) find(ref string) (string, error) {
	dirs, err := l.dirs()
	if err != nil {
		return "", err
	}
	if slices.Contains(dirs, ref) {
		return ref, nil
	}
	var hits, names []string
	for _, dir := range dirs {
		name, _, _ := strings.Cut(dir, "@")
		if lib, err := l.read(dir); err == nil && (lib.Name+"@"+lib.Version == ref || lib.Name == ref) || name == ref {
			hits = append(hits, dir)
		}
		names = append(names, name)
	}
	switch len(hits) {
	case 0:
		return "", fault.New(fault.LibraryNotFound, "the library %s is not installed", fault.Quoted(ref)).
			Hinting("%s", fault.DidYouMean(ref, slices.Compact(names)))
	case 1:
		return hits[0], nil
	}
	return "", fault.New(fault.Ambiguous, "%s is installed in several versions: %s", fault.Quoted(ref), strings.Join(hits, ", ")).
		Hinting("name one of them")
}

// Remove removes the installed library for ref, see Find, and returns the name of its
// directory.
func (l Libraries) Remove(ref string) (string, error) {
	dir, err := l.find(ref)
	if err == nil {
		err = l.Recover()
	}
	if err != nil {
		return "", err
	}
	if l.Marks {
		if err := afero.WriteFile(l.Root, marked+dir, nil, 0o644); err != nil {
			return "", l.notWritten(dir, err)
		}
		return dir, l.drop(dir)
	}
	away := l.unused(dir)
	if err := l.Root.Rename(dir, away); err != nil {
		return "", l.notWritten(dir, err)
	}
	_ = l.Root.RemoveAll(away) // if this fails, the next change removes the rest
	return dir, nil
}
