package sandbox

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/sorting"
)

// dir is one directory or file that Parts grants, with the mounts that show it.
type dir struct {
	name   string
	mode   Mode
	mounts []mounted
}

// Parts returns a view of some directories or files of a worker's view, under their
// names in that view. It is what a tool module is granted. The keys of dirs are virtual
// paths, the values are ReadOnly or ReadWrite; if one directory is inside another, its
// mode applies to its files. A part never shows or permits more than fsys: a directory
// that fsys does not show is E_NOT_FOUND, and rw for a directory that fsys shows
// read-only is E_ESCALATION. Each part is a nested handle, so that no link leads out of
// it. The first write creates a directory with rw that does not exist yet.
func Parts(fsys FS, dirs map[string]Mode) (FS, error) {
	v, ok := fsys.(*view)
	if !ok {
		return nil, fault.New(fault.Grant, "a module cannot be granted directories here: the files of this worker are not a view").
			Hinting("grant it all of them with fs: true, or none")
	}
	var parts []*dir
	for _, name := range slices.Sorted(maps.Keys(dirs)) {
		clean, err := Clean(name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(parts, func(d *dir) bool { return Fold(d.name) == Fold(clean) }) {
			return nil, fault.New(fault.Config, "fs names the directory %s twice", Abs(clean)).Hinting("name it once, with ro or rw")
		}
		parts = append(parts, &dir{name: clean, mode: dirs[name]})
	}
	sorting.By(parts, func(a, b *dir) int { // the innermost first
		return cmp.Or(len(key(b.name))-len(key(a.name)), strings.Compare(a.name, b.name))
	})
	for i, d := range parts {
		if err := v.part(d, parts[:i]); err != nil {
			return nil, err
		}
	}
	return v.viewOf(parts), nil
}

// viewOf returns the view of the parts. The files of a read-only part are read-only by
// every path that leads to them, except the files of a writable part inside it.
func (v *view) viewOf(parts []*dir) *view {
	out := &view{spec: v.spec, modes: slices.Clone(v.modes), only: ".", secrets: v.secrets}
	for _, outer := range parts {
		if outer.mode == ReadWrite {
			continue
		}
		for _, m := range outer.mounts {
			c := &Constraint{m.source, ReadOnly}
			out.modes = append(out.modes, c)
			for _, inner := range parts {
				for i := range inner.mounts {
					if inner != outer && Within(inner.name, outer.name) {
						inner.mounts[i].exempt = append(slices.Clone(inner.mounts[i].exempt), c)
					}
				}
			}
		}
	}
	for _, d := range parts {
		out.mounts = append(out.mounts, d.mounts...)
	}
	sorting.By(out.mounts, func(a, b mounted) int { return len(key(b.at)) - len(key(a.at)) })
	return out
}

// part finds the mounts that show a directory and adds them to d. It leaves out mounts
// that are in one of the inner parts.
func (v *view) part(d *dir, inner []*dir) error {
	whole, writable := false, false // whole: a mount shows the directory itself
	for _, m := range v.mounts {
		switch {
		case slices.ContainsFunc(inner, func(in *dir) bool { return Within(m.at, in.name) }):
			whole = whole || m.at == d.name
			continue
		case Within(m.at, d.name):
			whole = whole || m.at == d.name
		case Within(d.name, m.at) && !whole:
			whole = true
			if err := m.nest(d.name, d.mode == ReadWrite, mountPointsOf(v.mounts)); err != nil {
				return d.missing(err)
			}
		default:
			continue
		}
		m.Mount.At, m.FS, m.Source = m.at, m.fs, m.source
		if err := v.spec.Protection.read(m.top()); err != nil {
			return err
		}
		if v.modeOf(&m) != ReadOnly {
			writable = true
		} else if m.at == d.name && d.mode == ReadWrite {
			return d.tooWide()
		}
		if d.mode == ReadOnly && m.Mode != ReadOnly {
			m.Mode, m.Name = ReadOnly, Abs(d.name)+" of the module's fs"
		}
		d.mounts = append(d.mounts, m)
	}
	switch {
	case len(d.mounts) == 0:
		return d.missing(fs.ErrNotExist)
	case !writable && d.mode == ReadWrite:
		return d.tooWide()
	}
	return nil
}

// tooWide returns the error for a directory that is granted with rw although the worker
// itself can only read it.
func (d *dir) tooWide() error {
	return fault.New(fault.Escalation, "fs grants %s with rw, and the worker itself sees it read-only", Abs(d.name)).
		Hinting("grant it with ro, or give the worker the directory with mode: rw under sandbox.paths")
}

// missing returns the error for a directory that could not be opened because of err.
func (d *dir) missing(err error) error {
	f := fault.New(fault.NotFound, "fs grants %s, which the worker cannot be given: %w", Abs(d.name), plain(err))
	if errors.Is(err, fs.ErrNotExist) {
		f = fault.New(fault.NotFound, "fs grants %s, and the worker sees no such directory or file", Abs(d.name))
	}
	return f.Hinting("name a directory as the worker sees it, such as /data; golem describe shows its files")
}

// nest opens a name inside the mount as a nested handle and replaces the mount by it.
// With later, the first write creates a directory that does not exist. If links in the
// name lead to another place, only this mount may show that place. points are the mount
// points of the view.
func (m *mounted) nest(name string, later bool, points []string) error {
	rel := relativeTo(name, m.at)
	switch {
	case m.File != "":
		return ErrNotDir
	case m.hidden(rel):
		return fs.ErrNotExist
	}
	nested, file, err := Nest(m.fs, rel)
	if later && errors.Is(err, fs.ErrNotExist) {
		if err := m.checkNoLink(path.Dir(rel)); err != nil {
			return err
		}
		nested, err = Later(m.fs, rel)
	}
	if err != nil {
		return err
	}
	if m.source != "" {
		// A handle knows where it is after links were followed; the name does
		// not.
		source := sourceOf(nested, file, path.Join(m.source, rel))
		if rel, err = m.linked(source, rel, points); err != nil {
			return err
		}
		m.source = source
	}
	if file != "" && m.holed(rel) {
		return fs.ErrNotExist // the callers see a directory there, on the path to another mount
	}
	m.holes = holesBelow(m.holes, rel)
	m.fs, m.File, m.at = nested, file, name
	return nil
}

// linked returns the name inside the mount of the file or directory that was opened as
// rel and really is at source. It returns errShadowed if links led to a place that the
// view does not show, or shows by another mount.
func (m *mounted) linked(source, rel string, points []string) (string, error) {
	if source == path.Join(m.source, rel) {
		return rel, nil
	}
	real, in := strings.CutPrefix(source, strings.TrimSuffix(m.source, "/")+"/")
	if source == m.source {
		real, in = ".", true
	}
	at := join(m.at, real)
	other := func(p string) bool {
		return p != m.at && Within(p, m.at) && (Within(at, p) || Within(p, at))
	}
	if !in || m.hidden(real) || m.holed(real) || slices.ContainsFunc(points, other) {
		return "", errShadowed
	}
	return real, nil
}

// checkNoLink returns errShadowed if the part of a directory's path that exists contains a
// link.
func (m *mounted) checkNoLink(dir string) error {
	for ; ; dir = path.Dir(dir) {
		real, err := resolve(m.fs, dir)
		switch {
		case errors.Is(err, fs.ErrNotExist) && dir != ".":
		case err != nil:
			return err
		case real != dir:
			return errShadowed
		default:
			return nil
		}
	}
}

// mountPointsOf returns where mounts are.
func mountPointsOf(mounts []mounted) []string {
	var out []string
	for _, m := range mounts {
		out = append(out, m.at)
	}
	return out
}
