package sandbox

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/sorting"
)

// Bound is the limit of what the children of a worker may see (SPEC §8): the files in
// the worker's own view, compared by where they really are, and the mounts that Beyond
// adds. Under the zero value children see nothing.
type Bound struct {
	Worker   string // the worker whose bound this is, for messages
	ReadOnly bool
	mounts   []Mount // the mounts of the worker's view, cut to its restrictions
	beyond   []Mount // mounts for children that the worker itself does not see, added by Beyond
	searched []Mount // the mounts in which view.search looks for secrets
	root     string  // the project's root, so that messages contain no path of the host
	only     string
	modes    []*Constraint
}

// BoundOf returns the bound for the children of the worker that sees fsys. worker is the
// worker's name, for messages. If fsys is not a view, the bound is empty.
func BoundOf(fsys FS, worker string) *Bound {
	v, ok := fsys.(*view)
	if !ok {
		return &Bound{Worker: worker, only: "."}
	}
	b := &Bound{
		Worker: worker, ReadOnly: v.spec.ReadOnly, only: v.only, modes: v.modes,
		searched: v.spec.searched(), root: v.spec.Protection.Root,
	}
	for i, m := range v.mounts {
		if m.Unrestricted || slices.ContainsFunc(v.mounts[:i], func(o mounted) bool { return o.at == m.at || m.File != "" && Within(o.at, m.at) }) {
			continue // of two mounts at one place the first is seen, and below a file there can be no other mount
		}
		out := m.Mount
		out.At, out.FS, out.Source, out.holes = m.at, m.fs, m.source, slices.Clone(m.holes)
		if m.Policy != nil {
			out.Policy, out.says = nil, append(slices.Clone(m.says), m.Policy)
		}
		for _, over := range v.mounts {
			if over.at != m.at && Within(over.at, m.at) {
				out.holes = append(out.holes, relativeTo(over.at, m.at))
			}
		}
		b.mounts = append(b.mounts, out)
	}
	return b
}

// Beyond allows children to mount a tree that the worker's own view does not
// show, or shows only in part. Where the view has a mount of a part of the tree,
// that mount's mode applies to the part.
func (b *Bound) Beyond(m Mount) {
	for _, other := range b.mounts {
		switch {
		case contains(other.Source, m.Source):
			return // the view already has the whole tree
		case contains(m.Source, other.Source):
			rel, ok := relative(other.Source, m.Source)
			if !ok {
				return // the sources differ only in spelling, and may or may not be the same place
			}
			m.holes = append(m.holes, rel)
		}
	}
	b.beyond = append(b.beyond, m)
	b.searched = append(b.searched, m)
}

// bind cuts the mounts to the bound. A worker without mounts gets the caller's
// mounts and restriction. bind returns the modes that apply to the sources.
func (s *ViewSpec) bind() (modes []*Constraint, err error) {
	modes = s.modes()
	b := s.Bound
	if b == nil {
		return modes, nil
	}
	modes = append(modes, b.modes...)
	s.ReadOnly = s.ReadOnly || b.ReadOnly
	if !slices.ContainsFunc(s.Mounts, func(m Mount) bool { return !m.Unrestricted }) {
		s.Mounts = append(slices.Clone(b.mounts), s.Mounts...)
		s.Restricts = append([]string{b.only}, s.Restricts...)
		return modes, nil
	}
	var out []Mount
	for _, m := range s.Mounts {
		if m.Unrestricted {
			out = append(out, m)
			continue
		}
		cut, err := b.cut(m)
		if err != nil {
			return nil, err
		}
		out = append(out, slices.DeleteFunc(cut, func(c Mount) bool { return s.covered(c, m) })...)
	}
	s.Mounts = s.keepHidden(out)
	return modes, nil
}

// modes returns the modes that the mounts require for their sources. A mount
// inside the root mount need not follow the root mount's mode, so that a
// read-only project can have a writable place.
func (s *ViewSpec) modes() []*Constraint {
	var out []*Constraint
	for _, c := range s.Constraints {
		out = append(out, &c)
	}
	for _, m := range s.Mounts {
		if m.Unrestricted {
			continue
		}
		c := &Constraint{m.Source, m.Mode}
		out = append(out, c)
		for i := range s.Mounts {
			in := &s.Mounts[i]
			if rel, ok := relative(in.Source, m.Source); m.At == "." && ok && rel != "." {
				in.exempt = append(in.exempt, c)
			}
		}
	}
	return out
}

// keepHidden keeps a declared mount's place empty if the bound left nothing of
// the mount, or only parts below it. Otherwise another mount would show
// different files under that name.
func (s *ViewSpec) keepHidden(parts []Mount) []Mount {
	for _, m := range s.Mounts {
		if slices.ContainsFunc(parts, func(p Mount) bool { return p.At == m.At }) {
			continue
		}
		for i, p := range parts {
			if Within(m.At, p.At) {
				parts[i].holes = append(slices.Clone(p.holes), relativeTo(m.At, p.At))
			}
		}
	}
	return parts
}

// covered reports whether a part of a mount, which the bound moved below the
// mount's own place, is at a place where another mount is declared.
func (s *ViewSpec) covered(part, of Mount) bool {
	return part.At != of.At && slices.ContainsFunc(s.Mounts, func(o Mount) bool {
		return o.At != of.At && Within(o.At, of.At) && Within(part.At, o.At)
	})
}

// cut returns the part of a mount that is inside the bound: the mount itself if
// one of the caller's mounts contains all of it, and each of the caller's
// mounts that is inside it. If there is no such part, a mount of the worker's
// own is E_ESCALATION, and another mount is left out.
func (b *Bound) cut(m Mount) ([]Mount, error) {
	around := b.containing(m)
	var out []Mount
	if around != nil {
		part, err := around.part(m)
		if err != nil {
			return nil, err
		}
		out = append(out, part)
	}
	for _, in := range b.mountsInside(m.Source) {
		if around != nil && around.shows(in) {
			continue
		}
		rel, _ := relative(in.Source, m.Source)
		part := m
		part.FS, part.File, part.Source, part.holes = in.FS, in.File, in.Source, in.holes
		part.At, part.Mode, part.callers = join(m.At, rel), Stricter(m.Mode, in.Mode), in.inherited()
		part.exempt, part.says = slices.Concat(m.exempt, in.exempt), in.says
		out = append(out, part)
	}
	if len(out) == 0 && m.Own {
		return nil, m.fault(fault.Escalation, "the mount %s is %s, outside what the caller %s sees: %s",
			Abs(m.At), b.placeOf(m), b.Worker, b.places()).Hinting("a worker cannot see more than its caller: mount a directory that the caller sees, or mount it for the caller too")
	}
	return out, nil
}

// containing returns the innermost of the caller's mounts that contains a mount's source,
// or nil. If of is a single file, a mount in which the caller sees a directory in the
// file's place (on the path to another mount) does not count.
func (b *Bound) containing(of Mount) *Mount {
	var best *Mount
	for _, m := range b.all() {
		rel, ok := relative(of.Source, m.Source)
		if !ok || m.hidden(rel) || of.File != "" && rel != "." && m.holed(rel) {
			continue
		}
		if best == nil || len(m.Source) > len(best.Source) || len(m.Source) == len(best.Source) && Stricter(m.Mode, best.Mode) == best.Mode {
			best = &m
		}
	}
	return best
}

// mountsInside returns the caller's mounts that are inside the source, without mounts
// of the source itself.
func (b *Bound) mountsInside(source string) []Mount {
	var out []Mount
	for _, m := range b.all() {
		if rel, ok := relative(m.Source, source); ok && rel != "." {
			out = append(out, m)
		}
	}
	sorting.By(out, func(a, c Mount) int { return strings.Compare(a.Source, c.Source) })
	return slices.CompactFunc(out, func(a, c Mount) bool { return a.Source == c.Source })
}

// all returns the mounts, the least strict mode first.
func (b *Bound) all() []Mount {
	out := slices.Concat(b.mounts, b.beyond)
	sorting.By(out, func(a, c Mount) int { return rank(c.Mode) - rank(a.Mode) })
	return out
}

// part opens the mount of, which is inside the caller's mount m. It opens the
// directory as a nested handle of m.
func (m *Mount) part(of Mount) (Mount, error) {
	rel, _ := relative(of.Source, m.Source)
	out := of
	out.FS, out.File = m.FS, m.File
	out.Mode, out.callers, out.holes = Stricter(of.Mode, m.Mode), m.inherited(), holesBelow(m.holes, rel)
	out.exempt, out.says = slices.Concat(of.exempt, m.exempt), m.says
	if rel == "." {
		return out, nil
	}
	var err error
	out.FS, out.File, err = Nest(m.FS, rel)
	if errors.Is(err, fs.ErrNotExist) && of.File == "" && of.Mode != ReadOnly {
		out.FS, err = Later(m.FS, rel)
	}
	if err != nil {
		return out, of.fault(fault.NotFound, "the mount %s: %w", Abs(of.At), plain(err))
	}
	if sourceOf(out.FS, out.File, of.Source) != of.Source {
		return out, of.fault(fault.Escalation, "the directory of the mount %s was moved or replaced during the run", Abs(of.At))
	}
	return out, nil
}

// shows reports whether the caller's mount m already shows everything that its
// mount in, which is inside m, shows. Then in need not be mounted separately.
func (m *Mount) shows(in Mount) bool {
	rel, ok := relative(in.Source, m.Source)
	return ok && !m.hidden(rel) && !m.holed(rel) && rank(m.Mode) >= rank(in.Mode) && !m.limited() && len(m.says) == 0
}

// inherited returns the limits that apply to parts of the mount in a child's
// view.
func (m *Mount) inherited() []limits {
	out := slices.Clone(m.callers)
	if len(m.Suffixes) > 0 || m.MaxFileBytes > 0 {
		out = append(out, limits{m.Name, m.Suffixes, m.MaxFileBytes})
	}
	return out
}

func (m *Mount) limited() bool { return len(m.inherited()) > 0 }

// hidden reports whether a name in the mount's tree is at a place where the
// callers see another mount.
func (m *Mount) hidden(rel string) bool {
	return slices.ContainsFunc(m.holes, func(h string) bool { return Within(Fold(rel), Fold(h)) })
}

// holed reports whether such a place is at or below the name.
func (m *Mount) holed(rel string) bool {
	return slices.ContainsFunc(m.holes, func(h string) bool { return Within(Fold(h), Fold(rel)) })
}

// holesBelow returns the holes in a directory of the tree, relative to it.
func holesBelow(holes []string, dir string) []string {
	var out []string
	for _, h := range holes {
		if Within(h, dir) {
			out = append(out, relativeTo(h, dir))
		}
	}
	return out
}

// placeOf returns where a mount is, for messages: relative to the project's root,
// never as a path of the host.
func (b *Bound) placeOf(m Mount) string {
	rel, ok := relative(m.Source, b.root)
	switch {
	case ok && rel == ".", m.Source == ".":
		return "the project"
	case ok:
		return "./" + rel
	case absolute(m.Source) || m.Source == "":
		return "outside the project"
	}
	return "./" + m.Source
}

// places returns where the bound's mounts are, for messages; only the first
// few.
func (b *Bound) places() string {
	var out []string
	for i, m := range slices.Concat(b.mounts, b.beyond) {
		if i == 5 {
			out = append(out, "…")
			break
		}
		out = append(out, b.placeOf(m)+" at "+Abs(m.At))
	}
	return orNothing(out)
}

// Stricter returns the mode that permits less: ro before staged before rw.
func Stricter(a, b Mode) Mode {
	if rank(a) <= rank(b) {
		return a
	}
	return b
}

func rank(m Mode) int {
	switch m {
	case ReadWrite:
		return 2
	case Staged:
		return 1
	}
	return 0
}
