package osfs

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"golem/core/fault"
)

// spot is where a name leads: a real directory, held open, and the last
// element in it. What is done to a spot is done in that directory, whatever
// becomes of the names on the way to it (SECURITY 2).
type spot struct {
	tree *os.Root
	dirs []level     // from below the tree's root to the directory
	base string      // the last element; "." is the directory itself
	info fs.FileInfo // of base, never of what a link leads to; nil if there is nothing
	rest []string    // what was to come below base, where there is nothing
}

// level is one directory on the way, opened from the one above it. Only the
// last few stay open: a name may have 2,047 levels, and many names are looked
// at at once.
type level struct {
	name string
	root *os.Root // nil once it was closed
}

// maxOpen is how many directories of one way are open at once.
const maxOpen = 16

// dir is the handle of the directory that holds base.
func (s *spot) dir() *os.Root {
	if len(s.dirs) == 0 {
		return s.tree
	}
	return s.dirs[len(s.dirs)-1].root // the last one is always open
}

// down enters a directory.
func (s *spot) down(name string, root *os.Root) {
	s.dirs = append(s.dirs, level{name, root})
	if i := len(s.dirs) - 1 - maxOpen; i >= 0 {
		s.dirs[i].close()
	}
}

func (l *level) close() {
	if l.root != nil {
		_ = l.root.Close() // nothing was written through it
		l.root = nil
	}
}

// names are the names of the directories on the way.
func (s *spot) names() []string {
	out := make([]string, len(s.dirs))
	for i, l := range s.dirs {
		out[i] = l.name
	}
	return out
}

// parent is the directory's place in the tree.
func (s *spot) parent() string {
	if len(s.dirs) == 0 {
		return "."
	}
	return path.Join(s.names()...)
}

// place is where the name lies, links followed.
func (s *spot) place() string {
	return path.Join(append([]string{s.parent(), s.base}, s.rest...)...)
}

// close frees the handles; the tree's own root stays open.
func (s *spot) close() {
	for i := range s.dirs {
		s.dirs[i].close()
	}
	s.dirs = nil
}

// way is how a walk treats what it meets.
type way int

const (
	follow way = iota // links are followed within the tree: for reading
	still             // a link anywhere is refused: for changing
	making            // like still, and missing directories on the way are made
)

const (
	maxHops  = 40      // links followed for one name
	maxTries = 200     // repetitions while someone else swaps what is looked at
	maxSteps = 100_000 // elements looked at for one name: its own, those of links, and again after steps up
)

// walker goes from the tree's root to a name, element by element, each
// directory opened by its handle and compared with what its name stood for.
type walker struct {
	spot
	how                way
	todo               []string
	hops, tries, steps int
}

// walk settles a valid name. The caller closes the spot.
func (f *FS) walk(name string, how way) (*spot, error) {
	w := &walker{spot: spot{tree: f.root}, how: how, todo: elements(name)}
	for len(w.todo) > 0 && w.base == "" {
		if err := w.step(); err != nil {
			w.close()
			return nil, err
		}
	}
	if w.base == "" {
		var err error
		if w.info, err = w.dir().Stat("."); err != nil {
			w.close()
			return nil, err
		}
		w.base = "."
	}
	if p := w.place(); p == ".." || strings.HasPrefix(p, "../") {
		w.close()
		return nil, errEscapes
	}
	return &w.spot, nil
}

// elements are the steps of a slash path.
func elements(p string) []string {
	var out []string
	for e := range strings.SplitSeq(p, "/") {
		if e != "" && e != "." {
			out = append(out, e)
		}
	}
	return out
}

// step settles the next element, or finds that it has to be looked at again.
func (w *walker) step() error {
	if w.steps++; w.steps > maxSteps {
		return errLoop
	}
	elem := w.todo[0]
	if elem == ".." {
		return w.up()
	}
	info, err := w.dir().Lstat(elem)
	switch last := len(w.todo) == 1; {
	case errors.Is(err, fs.ErrNotExist) && w.how == making && !last:
		if err := w.dir().Mkdir(elem, 0o755); !errors.Is(err, fs.ErrExist) {
			return err // nil: the next step enters it
		}
		return w.again()
	case errors.Is(err, fs.ErrNotExist):
		w.base, w.rest = elem, w.todo[1:]
		return nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return w.link(elem)
	case last:
		w.base, w.info = elem, info
		return nil
	case !info.IsDir():
		if err := regular(info); err != nil {
			return err
		}
		return syscall.ENOTDIR
	}
	root, err := enter(w.dir(), elem, info)
	if errors.Is(err, errSwapped) {
		return w.again()
	}
	if err != nil {
		return err
	}
	w.down(elem, root)
	w.todo = w.todo[1:]
	return nil
}

// again leaves the element to be looked at once more, a bounded number of times.
func (w *walker) again() error {
	if w.tries++; w.tries > maxTries {
		return errSwapped
	}
	return nil
}

// up goes to the directory that this one was opened from. Where that was
// closed again, the walk begins anew at the tree's root: all that it passed is
// looked at as if for the first time.
func (w *walker) up() error {
	top := len(w.dirs) - 1
	if top < 0 {
		return errEscapes
	}
	w.dirs[top].close()
	w.dirs, w.todo = w.dirs[:top], w.todo[1:]
	if top > 0 && w.dirs[top-1].root == nil {
		w.todo = append(w.names(), w.todo...)
		w.close()
	}
	return nil
}

// link puts what a link says in the place of its name.
func (w *walker) link(elem string) error {
	if w.how != follow {
		return errLink
	}
	if w.hops++; w.hops > maxHops {
		return errLoop
	}
	target, err := w.dir().Readlink(elem)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EINVAL) {
		return w.again() // it is no link any more
	}
	if err != nil {
		return err
	}
	slashed := filepath.ToSlash(target)
	if filepath.IsAbs(target) || filepath.VolumeName(target) != "" || strings.HasPrefix(slashed, "/") {
		return errEscapes
	}
	w.todo = append(elements(slashed), w.todo[1:]...)
	return nil
}

// enter opens a directory below another: the one that info is of, and no
// other. errSwapped means that the name stands for something else by now.
func enter(parent *os.Root, elem string, info fs.FileInfo) (*os.Root, error) {
	root, err := openDir(parent, elem)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), err != nil && strings.Contains(err.Error(), escapes):
		return nil, errSwapped
	case err != nil:
		return nil, err
	}
	now, err := root.Stat(".")
	if err == nil && !os.SameFile(info, now) {
		err = errSwapped
	}
	if err != nil {
		return nil, cmp.Or(err, root.Close())
	}
	return root, nil
}

// openDir opens a directory as a handle. The dot makes the system look for a
// directory, so that a pipe of that name is refused and never waited on.
func openDir(parent *os.Root, elem string) (*os.Root, error) {
	if windows || elem == "." {
		return parent.OpenRoot(elem)
	}
	return parent.OpenRoot(elem + "/.")
}

// escapes is what os.Root says of a path that leads out.
const escapes = "path escapes from parent"

var (
	errSwapped = fault.New(fault.Path, "the path changed while golem opened it").
			Hinting("try again when no other program renames it")
	errLoop = fault.New(fault.Path, "the path has too many symbolic links, or they form a loop")
)
