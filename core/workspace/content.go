package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sorting"
)

// Limits of a library that is to be installed.
const (
	MaxLibraryFile = 64 << 20  // bytes of one file
	MaxLibrary     = 128 << 20 // bytes of all its files together
)

// Content is the set of files of a library, read and checked, but not yet installed.
type Content struct {
	files []node   // no directories; sorted by name
	Left  []string // sorted names that leftOut leaves out, such as .git, .env and node_modules
}

// DirContent reads the files of a directory. A link is E_PATH, because its target may
// be another file on another machine. FIFOs, sockets and devices are left out.
func DirContent(tree fs.FS) (Content, error) {
	files, total := map[string][]byte{}, int64(0)
	var left []string
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return libraryFault("%s cannot be read: %s", safeName(name), fault.Of(reason(err), fault.Path).Message)
		case name != "." && leftOut(name):
			left = append(left, name)
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			left = append(left, specials(tree, name)...)
			return nil
		case !d.Type().IsRegular():
			return libraryFault("%s is a link or a device", safeName(name))
		}
		if len(files) >= MaxFiles {
			return libraryLimit("it has more than %d files", MaxFiles)
		}
		data, err := sandbox.ReadFile(tree, name, MaxLibraryFile)
		if errors.Is(err, fault.Limit) {
			return libraryLimit("%s has more than %d bytes", safeName(name), MaxLibraryFile)
		}
		if err != nil {
			return libraryFault("%s cannot be read: %s", safeName(name), fault.Of(reason(err), fault.Path).Message)
		}
		if total += int64(len(data)); total > MaxLibrary {
			return libraryLimit("its files have more than %d bytes", MaxLibrary)
		}
		files[name] = data
		return nil
	})
	if err != nil {
		return Content{}, err
	}
	return FilesContent(files, left)
}

// ZipContent reads the files of a zip file, with the checks of Unzip.
func ZipContent(data []byte) (Content, error) {
	var left []string
	nodes, err := unpacked(data, func(name string, _ bool) bool {
		if !leftOut(name) {
			return false
		}
		left = append(left, name)
		return true
	})
	if err != nil {
		return Content{}, err
	}
	files := map[string][]byte{}
	for _, n := range nodes {
		if !n.dir {
			files[n.name] = n.data
		}
	}
	return FilesContent(files, left)
}

// Collide returns E_PATH if two of the names are the same file on some systems, or if
// one of them is a file and also the directory of another.
func Collide(names []string) error {
	var plan []member
	for _, name := range names {
		plan = append(plan, member{name: name})
	}
	if why := collision(plan); why != "" {
		return fault.New(fault.Path, "%s", why)
	}
	return nil
}

// FilesContent checks files, given by their names: it returns E_LIMIT above the limits, and
// E_PATH for names that do not work on every system, or that collide on some. left
// are the names that the caller has left out; FilesContent leaves out more by leftOut.
func FilesContent(files map[string][]byte, left []string) (Content, error) {
	c := Content{}
	var plan []string
	total := int64(0)
	for name, data := range files {
		if err := named(name); err != nil {
			return Content{}, libraryFault("%s", fault.Of(err, fault.Path).Message)
		}
		if leftOut(name) {
			left = append(left, name)
			continue
		}
		if len(data) > MaxLibraryFile {
			return Content{}, libraryLimit("%s has %d bytes; a file may have at most %d", safeName(name), len(data), MaxLibraryFile)
		}
		if total += int64(len(data)); total > MaxLibrary {
			return Content{}, libraryLimit("its files have more than %d bytes", MaxLibrary)
		}
		c.files = append(c.files, node{name: name, data: data})
	}
	if len(c.files) > MaxFiles {
		return Content{}, libraryLimit("it has more than %d files", MaxFiles)
	}
	sorting.By(c.files, func(a, b node) int { return strings.Compare(a.name, b.name) })
	for _, f := range c.files {
		plan = append(plan, f.name)
	}
	if err := Collide(plan); err != nil {
		return Content{}, libraryFault("%s", fault.Of(err, fault.Path).Message)
	}
	c.Left = highest(left)
	return c, nil
}

// leftOut reports whether a file never becomes part of an installed library: state,
// secrets, files of package managers and systems, and the file that golem itself
// writes into the directory of a library.
func leftOut(name string) bool {
	if sandbox.Secret(name) || sandbox.Fold(name) == originFile {
		return true
	}
	for e := range strings.SplitSeq(sandbox.Fold(name), "/") {
		switch e {
		case "node_modules", "__pycache__", ".venv", "__macosx", ".ds_store":
			return true
		}
	}
	return false
}

// highest replaces each name by the highest directory above it that is left out, if there
// is one. It returns the names sorted, without duplicates. It changes names.
func highest(names []string) []string {
	for i, name := range names {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if leftOut(dir) {
				name = dir
			}
		}
		names[i] = name
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// digest returns the SHA-256 (hex) of the content: of the names and digests of its
// files, in their order.
func (c Content) digest() string {
	all := sha256.New()
	for _, f := range c.files {
		sum := sha256.Sum256(f.data)
		all.Write([]byte(hex.EncodeToString(sum[:]) + "  " + f.name + "\n"))
	}
	return hex.EncodeToString(all.Sum(nil))
}

// changes returns the differences from an older content, as lines such as "changed
// workers/a.worker", sorted by name.
func (c Content) changes(old Content) []string {
	before := map[string]string{}
	for _, f := range old.files {
		before[f.name] = string(f.data)
	}
	var rows [][2]string
	for _, f := range c.files {
		was, there := before[f.name]
		delete(before, f.name)
		switch {
		case !there:
			rows = append(rows, [2]string{f.name, "added"})
		case was != string(f.data):
			rows = append(rows, [2]string{f.name, "changed"})
		}
	}
	for name := range before {
		rows = append(rows, [2]string{name, "removed"})
	}
	sorting.By(rows, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = r[1] + " " + r[0]
	}
	return out
}

func libraryFault(format string, args ...any) error {
	return fault.New(fault.Path, "the library is not accepted: "+format, args...).
		Hinting("golem installed nothing; mend the library, or leave that file out of it")
}

func libraryLimit(format string, args ...any) error {
	return fault.New(fault.Limit, "the library is not accepted: "+format, args...).
		Hinting("golem installed nothing; leave files out of the library that its workers do not need")
}

// specials returns what ReadDir of the sandbox does not list in a directory, because it is
// neither a file, a directory nor a link.
func specials(tree fs.FS, dir string) []string {
	lister, ok := tree.(interface{ Specials(dir string) []string })
	if !ok {
		return nil
	}
	return lister.Specials(dir)
}

// tree returns the content as a file system in memory.
func (c Content) tree() fs.FS {
	files := sandbox.Memory()
	for _, f := range c.files {
		_ = files.WriteFile(f.name, f.data) // names are checked and do not collide
	}
	return files
}
