package clearance

import (
	"io/fs"
	"path"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
)

// step is one file of a push.
type step struct {
	Change
	below string     // the file's name below the directory that is written
	fs    fs.FS      // the files as they are now
	name  string     // the file's name in fs
	tree  sandbox.FS // the same as fs, for writing; nil for a branch
	to    string     // the place as people read it
	base  string     // digest of the content that is replaced
	want  string     // digest of the new content; "": the file is removed
}

// openTrees are the trees of real files that are open, by their source.
type openTrees struct {
	real RealFiles
	open map[string]sandbox.FS
}

// find finds the tree and the name of a step below base.
func (t openTrees) find(st *step, base string) error {
	root, name := ".", path.Join(base, st.below)
	if isOutside(base) {
		root, name = base, path.Clean(st.below)
	}
	fsys, ok := t.open[root]
	if !ok {
		var err error
		if fsys, err = t.real.Mount(root); err != nil {
			return err
		}
		t.open[root] = fsys
	}
	st.fs, st.tree, st.name, st.to = fsys, fsys, name, path.Join(base, st.below)
	if err := st.valid(); err != nil {
		return err
	}
	r, ok := fsys.(sandbox.Resolver)
	if !ok {
		return nil
	}
	if real, err := r.Resolve(name); err == nil && real != name {
		return fault.New(fault.Path, "%s is a symbolic link or lies behind one, and golem does not write through links", st.to).
			Hinting("replace the link, or push to another target")
	}
	return nil
}

// isOutside reports whether a source is outside the project.
func isOutside(source string) bool {
	return path.IsAbs(source) || source == ".." || strings.HasPrefix(source, "../") || len(source) > 1 && source[1] == ':'
}

// valid returns E_PATH for a name that the step cannot use. Only a file that is written
// must have a name that works on every platform: one with another name can be removed.
func (st *step) valid() error {
	check := sandbox.Valid
	if st.want != "" {
		check = sandbox.ValidNew
	}
	if err := check(st.name); err != nil {
		return fault.Of(err, fault.Path)
	}
	return nil
}
