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

// spot is the place that a name leads to: an open directory, and the last
// element in it. Operations on a spot happen in that directory, even if another
// process changes the names on the path to it (SECURITY 2).
type spot struct {
	tree *os.Root
	dirs []level     // the directories from below the tree's root to this one
	base string      // the last element; "." is the directory itself
	info fs.FileInfo // describes base itself, not what a link points to; nil if it does not exist
	rest []string    // the elements after base, if base does not exist
}

// level is one directory on the path, opened from the one above it. Only the
// last ones (maxOpen) stay open, because a name may have 2,047 levels and many
// names are used at the same time.
type level struct {
	name string
	root *os.Root // nil after it was closed
}

// maxOpen is how many directories of one path are open at the same time.
const maxOpen = 16

// dir returns the handle of the directory that contains base.
func (s *spot) dir() *os.Root {
	if len(s.dirs) == 0 {
		return s.tree
	}
	return s.dirs[len(s.dirs)-1].root // the last one is always open
}

// descend enters a directory.
func (s *spot) descend(name string, root *os.Root) {
	s.dirs = append(s.dirs, level{name, root})
	if i := len(s.dirs) - 1 - maxOpen; i >= 0 {
		s.dirs[i].close()
	}
}

func (l *level) close() {
	if l.root != nil {
		_ = l.root.Close() // an error has no effect: nothing was written through it
		l.root = nil
	}
}

// names returns the names of the directories on the path.
func (s *spot) names() []string {
	out := make([]string, len(s.dirs))
	for i, l := range s.dirs {
		out[i] = l.name
	}
	return out
}

// parent returns the directory's place in the tree.
func (s *spot) parent() string {
	if len(s.dirs) == 0 {
		return "."
	}
	return path.Join(s.names()...)
}

// realPlace returns where the name is, after links were followed.
func (s *spot) realPlace() string {
	return path.Join(append([]string{s.parent(), s.base}, s.rest...)...)
}

// close closes the handles, except the root of the tree.
func (s *spot) close() {
	for i := range s.dirs {
		s.dirs[i].close()
	}
	s.dirs = nil
}

// way says how walk treats links and missing directories.
type way int

const (
	follow way = iota // follow links inside the tree: for reading
	still             // refuse every link: for changing
	making            // like still, and create missing directories on the path
)

const (
	maxHops  = 40      // links followed for one name
	maxTries = 200     // repetitions while another process changes the path
	maxSteps = 100_000 // elements visited for one name: its own, those of links, and those visited again
)

// walker goes from the tree's root to a name, element by element. It opens each
// directory through the handle of its parent and checks that it opened the
// directory that it saw before.
type walker struct {
	spot
	how                way
	queue              []string
	hops, tries, steps int
}

// walk finds the place of a valid name. The caller closes the spot.
func (f *FS) walk(name string, how way) (*spot, error) {
	w := &walker{spot: spot{tree: f.root}, how: how, queue: elements(name)}
	for len(w.queue) > 0 && w.base == "" {
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
	if p := w.realPlace(); p == ".." || strings.HasPrefix(p, "../") {
		w.close()
		return nil, errEscapes
	}
	return &w.spot, nil
}

// elements splits a slash path.
func elements(p string) []string {
	var out []string
	for e := range strings.SplitSeq(p, "/") {
		if e != "" && e != "." {
			out = append(out, e)
		}
	}
	return out
}

// step visits the next element, or finds that it must be visited again.
func (w *walker) step() error {
	if w.steps++; w.steps > maxSteps {
		return errLoop
	}
	elem := w.queue[0]
	if elem == ".." {
		return w.ascend()
	}
	info, err := w.dir().Lstat(elem)
	switch last := len(w.queue) == 1; {
	case errors.Is(err, fs.ErrNotExist) && w.how == making && !last:
		if err := w.dir().Mkdir(elem, 0o755); !errors.Is(err, fs.ErrExist) {
			return err // nil: the next step enters it
		}
		return w.retry()
	case errors.Is(err, fs.ErrNotExist):
		w.base, w.rest = elem, w.queue[1:]
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
		return w.retry()
	}
	if err != nil {
		return err
	}
	w.descend(elem, root)
	w.queue = w.queue[1:]
	return nil
}

// retry lets the element be visited once more, at most maxTries times.
func (w *walker) retry() error {
	if w.tries++; w.tries > maxTries {
		return errSwapped
	}
	return nil
}

// ascend goes to the parent directory. If that is closed already, walk starts again
// at the tree's root and checks every directory again.
func (w *walker) ascend() error {
	top := len(w.dirs) - 1
	if top < 0 {
		return errEscapes
	}
	w.dirs[top].close()
	w.dirs, w.queue = w.dirs[:top], w.queue[1:]
	if top > 0 && w.dirs[top-1].root == nil {
		w.queue = append(w.names(), w.queue...)
		w.close()
	}
	return nil
}

// link replaces the next element, which is a link, by its target.
func (w *walker) link(elem string) error {
	if w.how != follow {
		return errLink
	}
	if w.hops++; w.hops > maxHops {
		return errLoop
	}
	target, err := w.dir().Readlink(elem)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EINVAL) {
		return w.retry() // it is not a link any more
	}
	if err != nil {
		return err
	}
	slashed := filepath.ToSlash(target)
	if filepath.IsAbs(target) || filepath.VolumeName(target) != "" || strings.HasPrefix(slashed, "/") {
		return errEscapes
	}
	w.queue = append(elements(slashed), w.queue[1:]...)
	return nil
}

// enter opens a directory in another and checks that it is the one that info
// describes. errSwapped means that the name now belongs to another file.
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

// openDir opens a directory as a handle. The dot at the end makes the system
// accept only a directory, so that a pipe with that name is an error at once.
func openDir(parent *os.Root, elem string) (*os.Root, error) {
	if windows || elem == "." {
		return parent.OpenRoot(elem)
	}
	return parent.OpenRoot(elem + "/.")
}

// escapes is the text of os.Root's error for a path that leads outside.
const escapes = "path escapes from parent"

var (
	errSwapped = fault.New(fault.Path, "the path changed while golem opened it").
			Hinting("try again when no other program renames it")
	errLoop = fault.New(fault.Path, "the path has too many symbolic links, or they form a loop")
)
