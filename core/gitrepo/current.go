package gitrepo

import (
	"cmp"
	"encoding/binary"
	"io/fs"
	"path"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"golem/core/sandbox"
)

// current is what git knows about the files of the working tree that the worker sees.
type current struct {
	files     map[string]*tracked // files of the last commit and of the index, by path in the repository
	untracked map[string]bool     // files that git neither knows nor ignores
	nested    map[string]bool     // directories that git does not know and that are repositories of their own
	odd       map[string]string   // links, and files with names that golem cannot show, that git does not know: their modes
}

// tracked is a file of the last commit or of the index.
type tracked struct {
	index  gitEntry // its entry in the index; without a mode there is none
	stages int      // bit 1<<N for each stage N of a merge that is not finished
	skip   bool     // git does not expect it in the working tree (skip-worktree)
	gone   bool     // the index does not have it, so that a file there is another one (git rm --cached)
}

// submodule reports whether the index or the last commit has a submodule there.
func (t *tracked) submodule(base gitEntry) bool {
	return t.index.mode == Submodule || t.index.mode == "" && base.mode == Submodule
}

// conflicts names the conflicts of a merge by the bits of their stages.
var conflicts = map[int]string{
	1 << 1: "both deleted", 1 << 2: "added by us", 1 << 3: "added by them",
	1<<1 | 1<<2: "deleted by them", 1<<1 | 1<<3: "deleted by us", 1<<2 | 1<<3: "both added", 1<<1 | 1<<2 | 1<<3: "both modified",
}

// currentFiles returns the state of the files in base and in the index. With others, it also looks
// for files that git does not know.
func (r *reader) currentFiles(base map[string]gitEntry, only string, others bool) (*current, error) {
	index, err := r.readIndex()
	if err != nil {
		return nil, err
	}
	c := &current{files: map[string]*tracked{}, untracked: map[string]bool{}, nested: map[string]bool{}, odd: map[string]string{}}
	for name := range base {
		c.files[name] = &tracked{}
	}
	listed := 0
	for _, l := range index.lines {
		if dir, collapsed := strings.CutSuffix(l.name, "/"); collapsed {
			below := map[string]gitEntry{}
			if err := r.list(l.entry().hash.String(), dir, only, &listed, below); err != nil {
				return nil, err
			}
			for name, e := range below {
				c.files[name] = &tracked{index: e, skip: true}
			}
			continue
		}
		if only != "" && !sandbox.Within(l.name, only) || !r.sees(l.name, l.entry().mode) {
			continue
		}
		t := c.files[l.name]
		if t == nil {
			t = &tracked{}
			c.files[l.name] = t
		}
		if stage := int(binary.BigEndian.Uint16(l.fixed[indexFlags:])&indexStage) >> 12; stage > 0 {
			t.stages |= 1 << stage
		} else {
			t.index, t.skip = l.entry(), l.skip()
		}
	}
	for _, t := range c.files {
		t.gone = len(index.lines) > 0 && t.index.mode == "" && t.stages == 0
	}
	if others {
		err = r.addUntracked(c, base)
	}
	return c, err
}

// addUntracked adds the files that git neither knows nor ignores, and the repositories among
// them. It does not look into submodules.
func (r *reader) addUntracked(c *current, base map[string]gitEntry) error {
	ignored := gitIgnores{r: r, loaded: map[string]bool{}, ignored: map[string]bool{}}
	err := fs.WalkDir(r.view, ".", func(name string, e fs.DirEntry, err error) error {
		if r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		if err != nil { // a directory that cannot be listed is left out
			if e != nil && e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		file, err := r.file(name)
		t := c.files[file]
		switch {
		case err != nil: // outside the repository
			return nil
		case file == "":
			r.hidden("", c, &ignored)
			return nil
		case e.IsDir() && t != nil && t.submodule(base[file]):
			return fs.SkipDir
		case t != nil && !t.gone:
			return nil
		case ignored.match(file, e.IsDir()) && e.IsDir():
			return fs.SkipDir
		case e.IsDir() && r.nested(file):
			c.nested[file] = true
			return fs.SkipDir
		case e.IsDir():
			r.hidden(file, c, &ignored)
			return nil
		case ignored.match(file, false):
			return nil
		}
		c.untracked[file] = true
		if len(c.untracked) > maxEntries {
			return fs.SkipAll
		}
		return nil
	})
	for file, mode := range c.odd {
		switch {
		case mode == Link && !c.untracked[file] && !c.nested[file]:
			r.leave(file, notLinks)
		case mode != Link:
			r.leave(file, notNames)
		}
	}
	return err
}

// hidden notes the links and names in a directory that git neither knows nor ignores, and
// that the view does not list.
func (r *reader) hidden(dir string, c *current, ignored *gitIgnores) {
	if r.work == nil {
		return
	}
	entries, err := fs.ReadDir(r.work, cmp.Or(dir, "."))
	if err != nil {
		return
	}
	for _, e := range entries {
		file, mode := path.Join(dir, e.Name()), Plain
		if e.Type()&fs.ModeSymlink != 0 {
			mode = Link
		}
		if c.files[file] == nil && (mode == Link || sandbox.Valid(file) != nil) && !ignored.match(file, e.IsDir()) {
			c.odd[file] = mode
		}
	}
}

// nested reports whether a directory of the working tree is a repository of its own.
func (r *reader) nested(dir string) bool {
	if r.work == nil {
		return false
	}
	_, err := fs.Stat(r.work, path.Join(dir, ".git"))
	return err == nil
}

// mode returns the mode of a file of the working tree, or that of the entry if the system
// or the repository's core.filemode does not tell it.
func (r *reader) mode(file string, e gitEntry) string {
	if r.work == nil || !r.fileMode {
		return e.mode
	}
	switch perm := sandbox.PermOf(r.work, file); {
	case perm == 0:
		return e.mode
	case perm&0o100 != 0:
		return Program
	}
	return Plain
}

// modeChanged returns a line about the modes of a file before and now, or "" if they are
// the same or it is not a file before or now.
func modeChanged(name, before, now string) string {
	switch {
	case before == Plain && now == Program:
		return "mode changed: " + name + " (now executable)\n"
	case before == Program && now == Plain:
		return "mode changed: " + name + " (no longer executable)\n"
	}
	return ""
}

// entry returns the entry of the index as one of a directory.
func (l indexLine) entry() gitEntry {
	mode := map[uint32]string{0o100644: Plain, 0o100755: Program, 0o120000: Link, 0o160000: Submodule, 0o40000: Dir}[binary.BigEndian.Uint32(l.fixed[indexMode:])]
	return gitEntry{mode, l.name, plumbing.Hash(l.fixed[indexHash:indexFlags])}
}

// skip reports whether git does not expect the file in the working tree.
func (l indexLine) skip() bool {
	return len(l.fixed) > indexFixed && binary.BigEndian.Uint16(l.fixed[indexFixed:])&indexSkip != 0
}
