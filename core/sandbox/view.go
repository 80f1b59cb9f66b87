package sandbox

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
)

// Mount puts a tree at a place of a view.
type Mount struct {
	Name         string // in messages and approvals: "root", "input"
	At           string // io/fs name of the mount point; "." is the root
	FS           FS
	Source       string // where the tree lies, see SourceOf; overlaps and protection are judged by it; "": nowhere
	Mode         Mode
	Suffixes     []string // allowed file suffixes, with the dot; none: any
	MaxFileBytes int64    // 0: no limit of the mount's own
	HideEmpty    bool     // not listed while it holds nothing
	Unrestricted bool     // visible under any restriction (attachments)
}

// Constraint holds everything below a source to a mode, by whichever mount
// it is reached: the stricter mode of overlapping sources wins (SPEC §8).
type Constraint struct {
	Source string
	Mode   Mode
}

// ViewSpec is what one worker run sees.
type ViewSpec struct {
	Mounts      []Mount
	Constraints []Constraint
	Restricts   []string // io/fs names, outermost ancestor's first; all hold
	ReadOnly    bool
	Protection  Protection
	Quota       *Quota // shared by all views of a run; nil: none
}

// view is the effective tree of a worker run. It is immutable; what it wraps
// is opened once, as nested handles where a restriction cuts into a mount.
type view struct {
	mounts []mounted // longest mount point first
	spec   ViewSpec
	only   string // the effective restriction, "." = none

	secrets *secrets
}

// mounted is a mount as the view reaches it: at and source moved down to the
// restriction, if that lies inside the mount.
type mounted struct {
	Mount
	at, source string
	fs         FS
}

var (
	_ FS            = (*view)(nil)
	_ fs.StatFS     = (*view)(nil)
	_ fs.ReadDirFS  = (*view)(nil)
	_ fs.ReadFileFS = (*view)(nil)
)

// View builds a worker's view. Restrictions only narrow: one that lies inside
// another is the one that holds, one that contains another changes nothing,
// and two that exclude each other are E_ESCALATION. A restriction to what its
// mount has not, or that cannot be a nested handle, is an error (fail closed);
// one that no mount reaches leaves an empty view.
func View(spec ViewSpec) (FS, error) {
	spec.locate()
	v := &view{spec: spec, only: ".", secrets: &secrets{}}
	for _, r := range spec.Restricts {
		if err := Valid(r); err != nil {
			return nil, err
		}
		switch {
		case Within(r, v.only):
			v.only = r
		case Within(v.only, r):
		default:
			return nil, fault.New(fault.Escalation, "the restriction %s lies outside %s", Abs(r), Abs(v.only)).
				Hinting("a worker can only narrow what its caller sees")
		}
	}
	mounts := spec.Mounts // a copy, by locate
	slices.SortStableFunc(mounts, func(a, b Mount) int { return len(key(b.At)) - len(key(a.At)) })
	held := false // the restriction has found the mount it cuts into
	for _, m := range mounts {
		in := mounted{Mount: m, at: m.At, source: m.Source, fs: m.FS}
		switch {
		case Within(m.At, v.only) || m.Unrestricted:
			held = held || m.At == v.only
		case Within(v.only, m.At) && !held:
			held = true
			if err := in.narrow(v.only); err != nil {
				return nil, err
			}
		default:
			continue
		}
		if err := spec.Protection.read(place{name: in.at, mount: &in, rel: "."}); err != nil {
			return nil, err
		}
		v.mounts = append(v.mounts, in)
	}
	return v, nil
}

// locate puts the sources of mounts and constraints in the terms of the
// project's root: a tree that does not exist yet (./output) tells no real path
// of its own, and must not escape protection or a stricter mode by that.
func (s *ViewSpec) locate() {
	s.Mounts, s.Constraints = slices.Clone(s.Mounts), slices.Clone(s.Constraints)
	for i := range s.Mounts {
		s.Mounts[i].Source = s.Protection.locate(s.Mounts[i].Source)
	}
	for i := range s.Constraints {
		s.Constraints[i].Source = s.Protection.locate(s.Constraints[i].Source)
	}
}

// key orders mount points by length, the root first of all.
func key(at string) string {
	if at == "." {
		return ""
	}
	return at
}

// narrow replaces the mount by a nested handle on the restriction.
func (m *mounted) narrow(only string) error {
	sub, ok := m.FS.(SubFS)
	if !ok {
		return fault.New(fault.Escalation, "the mount %s cannot be restricted to %s on this platform", m.Name, Abs(only))
	}
	rel := below(only, m.At)
	nested, err := sub.SubFS(rel)
	if err != nil {
		return fault.New(fault.NotFound, "the sandbox cannot be restricted to %s: %w", Abs(only), plain(err)).
			Hinting("create the directory, or change restrict")
	}
	m.fs, m.at = nested, only
	if m.Source != "" {
		// a handle that followed a link knows better than the name where it is
		m.source = SourceOf(nested, path.Join(m.Source, rel))
	}
	return nil
}

// plain is an error without the path of an fs.PathError, which the caller names.
func plain(err error) error {
	if p, ok := err.(*fs.PathError); ok {
		return p.Err
	}
	return err
}

// place is where a name of the view lies.
type place struct {
	name  string // in the view
	mount *mounted
	rel   string // in the mount's tree
}

// source is where the file lies outside the view, for overlaps and
// protection; "" for a mount that lies nowhere (attachments).
func (p place) source() string {
	if p.mount.source == "" {
		return ""
	}
	return path.Join(p.mount.source, p.rel)
}

// find settles which mount has a name. Without one, way is true if the name
// is a directory on the way to a mount.
func (v *view) find(op, name string) (p place, way bool, err error) {
	if err := Valid(name); err != nil {
		return place{}, false, err
	}
	for i := range v.mounts {
		m := &v.mounts[i]
		if Within(name, m.at) {
			return place{name: name, mount: m, rel: below(name, m.at)}, false, nil
		}
	}
	if name == "." || v.leads(name) {
		return place{}, true, nil
	}
	if v.only != "." {
		return place{}, false, perr(op, name, outside{v.only})
	}
	return place{}, false, perr(op, name, fs.ErrNotExist)
}

// leads reports whether a visible mount point lies below name.
func (v *view) leads(name string) bool {
	return slices.ContainsFunc(v.mounts, func(m mounted) bool {
		return m.at != name && Within(m.at, name) && !m.hidden()
	})
}

// hidden reports whether the mount is not to be listed now.
func (m *mounted) hidden() bool {
	if !m.HideEmpty {
		return false
	}
	entries, err := fs.ReadDir(m.fs, ".")
	return err != nil || len(entries) == 0
}

// outside is "not found" for a path that the restriction hides.
type outside struct{ only string }

func (o outside) Error() string {
	return "not found: this worker sees only " + Abs(o.only)
}

func (o outside) Is(target error) bool { return target == fs.ErrNotExist }

// MountOf names the mount that a name of a view belongs to; "" if it is no
// view, or the name is only on the way to one.
func MountOf(fsys FS, name string) string {
	v, ok := fsys.(*view)
	if !ok {
		return ""
	}
	p, way, err := v.find("stat", name)
	if err != nil || way {
		return ""
	}
	return p.mount.Name
}

// SourceOf is where a tree lies: what the tree itself says (a real path), else
// the fallback, a slash path relative to the project root. Two mounts overlap if one's source lies inside the other's.
func SourceOf(fsys FS, fallback string) string {
	if s, ok := fsys.(interface{ Source() string }); ok && s.Source() != "" {
		return s.Source()
	}
	if fallback == "" {
		return ""
	}
	return path.Clean(fallback)
}

// contains reports whether a source lies inside another, or may on a disk that
// ignores case; both are slash paths. "" lies nowhere.
func contains(outer, inner string) bool { return inside(Fold(inner), Fold(outer)) }

// inside is contains for folded sources.
func inside(inner, outer string) bool {
	if outer == "" || inner == "" {
		return false
	}
	if outer == "." {
		return !strings.HasPrefix(inner, "/") && inner != ".." && !strings.HasPrefix(inner, "../")
	}
	return inner == outer || strings.HasPrefix(inner, strings.TrimSuffix(outer, "/")+"/")
}
