package sandbox

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
)

// Mount puts a tree, or one file of it, at a place of a view.
type Mount struct {
	Name         string // in messages and approvals: "root", "input"
	At           string // io/fs name of the mount point; "." is the root
	FS           FS
	File         string // the only file of FS that is mounted, at At itself; "": the whole tree
	Source       string // where what is mounted lies, see SourceOf; overlaps, bounds and protection are judged by it; "": nowhere
	Mode         Mode
	Suffixes     []string    // allowed file suffixes, with the dot; none: any
	MaxFileBytes int64       // 0: no limit of the mount's own
	Own          bool        // the worker's own: outside its caller's bound it is E_ESCALATION, else it is left out
	Where        fault.Where // where it is configured, for errors
	Policy       any         // what its owner says of calls that use it, unknown here; see CallerPolicies
	HideEmpty    bool        // not listed while it holds nothing
	Unrestricted bool        // visible under any restriction and bound (attachments)

	exempt  []*Constraint // of these, since it lies in the root mount that they are of
	callers []limits      // of the mounts by which the callers see it
	says    []any         // the policies of these mounts, outermost first
	holes   []string      // names in FS that the callers do not see, because another mount of theirs lies over them
}

// limits are what a mount says of the files it holds.
type limits struct {
	name     string // of the mount
	suffixes []string
	bytes    int64
}

// Constraint holds everything below a source to a mode, by whichever mount
// it is reached: the stricter mode of overlapping sources wins (SPEC §8).
type Constraint struct {
	Source string
	Mode   Mode
}

// ViewSpec is what one worker run sees.
type ViewSpec struct {
	Mounts []Mount
	// Bound is what the caller lets its children see; nil at the root. A view
	// whose Mounts are none but unrestricted ones gets the caller's mounts.
	Bound       *Bound
	Constraints []Constraint // beside the modes of the mounts
	Restricts   []string     // io/fs names, the outermost first; all hold
	ReadOnly    bool
	Protection  Protection
	Quota       *Quota // shared by all views of a run; nil: none
}

// view is the effective tree of a worker run. It is immutable; what it wraps
// is opened once, as nested handles where a restriction cuts into a mount.
type view struct {
	mounts []mounted // longest mount point first
	modes  []*Constraint
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

// View builds a worker's view: its mounts, cut down to the caller's bound, then
// to the restrictions. Restrictions only narrow: one that lies inside another
// is the one that holds, one that contains another changes nothing, and two
// that exclude each other are E_ESCALATION. A restriction to what its mount has
// not, or that cannot be a nested handle, is an error (fail closed), and so is
// one that no mount reaches.
func View(spec ViewSpec) (FS, error) {
	if err := spec.locate(); err != nil {
		return nil, err
	}
	modes, err := spec.bind()
	if err != nil {
		return nil, err
	}
	v := &view{spec: spec, modes: modes, only: ".", secrets: &secrets{}}
	for _, r := range spec.Restricts {
		if err := v.restrict(r); err != nil {
			return nil, err
		}
	}
	mounts := slices.Clone(spec.Mounts)
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
		if err := spec.Protection.read(in.top()); err != nil {
			return nil, fault.Of(err, fault.Protected).At(m.Where.File, m.Where.Line, m.Where.Column)
		}
		v.mounts = append(v.mounts, in)
	}
	return v, v.reached()
}

// restrict takes one restriction into the effective one.
func (v *view) restrict(r string) error {
	if err := Valid(r); err != nil {
		return err
	}
	switch {
	case Within(r, v.only):
		v.only = r
	case Within(v.only, r):
	default:
		what := Abs(v.only)
		if b := v.spec.Bound; b != nil {
			what = "what the caller " + b.Worker + " sees: " + what
		}
		return fault.New(fault.Escalation, "the restriction %s is outside %s", Abs(r), what).
			Hinting("restrict to a path that the caller sees: a worker cannot see more than its caller")
	}
	return nil
}

// reached refuses a restriction that leaves nothing to see.
func (v *view) reached() error {
	if v.only == "." || slices.ContainsFunc(v.mounts, func(m mounted) bool { return !m.Unrestricted }) {
		return nil
	}
	var at []string
	for _, m := range v.spec.Mounts {
		if !m.Unrestricted {
			at = append(at, Abs(m.At))
		}
	}
	if b := v.spec.Bound; b != nil {
		return fault.New(fault.Escalation, "the restriction %s is outside what the caller %s sees: %s", Abs(v.only), b.Worker, orNothing(at)).
			Hinting("restrict to a path that the caller sees: a worker cannot see more than its caller")
	}
	return fault.New(fault.NotFound, "the restriction %s leaves the worker without files: the mounts are at %s", Abs(v.only), orNothing(at)).
		Hinting("restrict to a mount or to a path in one")
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

// locate puts the sources of mounts and constraints in the terms of the
// project's root: a tree that does not exist yet (./output) tells no real path
// of its own, and must not escape protection or a stricter mode by that.
func (s *ViewSpec) locate() error {
	s.Mounts, s.Constraints = slices.Clone(s.Mounts), slices.Clone(s.Constraints)
	for i := range s.Mounts {
		s.Mounts[i].Source = s.Protection.locate(s.Mounts[i].Source)
		if s.Mounts[i].File != "" && s.Mounts[i].At == "." {
			return s.Mounts[i].fault(fault.Config, "the mount %s is a file, and the root must be a directory", s.Mounts[i].Name).
				Hinting("mount the file under a name of its own, with paths or mounts")
		}
	}
	for i := range s.Constraints {
		s.Constraints[i].Source = s.Protection.locate(s.Constraints[i].Source)
	}
	return nil
}

// key orders mount points by length, the root first of all.
func key(at string) string {
	if at == "." {
		return ""
	}
	return at
}

// fault is one at the place where the mount is configured.
func (m *Mount) fault(code fault.Code, format string, args ...any) *fault.Fault {
	return fault.New(code, format, args...).At(m.Where.File, m.Where.Line, m.Where.Column)
}

// top is the place of the mount itself.
func (m *mounted) top() place {
	rel := "."
	if m.File != "" {
		rel = m.File
	}
	return place{name: m.at, mount: m, rel: rel}
}

// narrow replaces the mount by a nested handle on the restriction.
func (m *mounted) narrow(only string) error {
	rel := below(only, m.At)
	missing := func(err error) error {
		return fault.New(fault.NotFound, "the sandbox cannot be restricted to %s: %w", Abs(only), err).
			Hinting("create the directory, or change restrict")
	}
	switch {
	case m.File != "":
		return missing(ErrNotDir)
	case m.hidden(rel):
		return missing(fs.ErrNotExist)
	}
	if _, ok := m.FS.(SubFS); !ok {
		return fault.New(fault.Escalation, "the mount %s cannot be restricted to %s on this platform", m.Name, Abs(only))
	}
	nested, file, err := Nest(m.FS, rel)
	if err != nil {
		return missing(plain(err))
	}
	m.fs, m.File, m.at = nested, file, only
	m.holes = holesBelow(m.holes, rel)
	if m.Source != "" {
		// a handle that followed a link knows better than the name where it is
		m.source = sourceOf(nested, file, path.Join(m.Source, rel))
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
	switch {
	case p.mount.source == "":
		return ""
	case p.mount.File != "": // no other file of the tree is reached
		return p.mount.source
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
		if !Within(name, m.at) {
			continue
		}
		p := place{name: name, mount: m, rel: below(name, m.at)}
		switch {
		case m.File != "" && name == m.at:
			p.rel = m.File
		case m.File != "":
			return place{}, false, perr(op, name, ErrNotDir)
		case m.hidden(p.rel):
			if v.leads(name) {
				return place{}, true, nil
			}
			return place{}, false, perr(op, name, fs.ErrNotExist)
		}
		return p, false, nil
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
		return m.at != name && Within(m.at, name) && !m.unlisted()
	})
}

// unlisted reports whether the mount is not to be listed now.
func (m *mounted) unlisted() bool {
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

// CallerPolicies are the policies of the mounts by which the callers see what
// the view's mounts show, by the name of the view's mount.
func CallerPolicies(fsys FS) map[string][]any {
	v, ok := fsys.(*view)
	if !ok {
		return nil
	}
	out := map[string][]any{}
	for _, m := range v.mounts {
		if len(m.says) > 0 {
			out[m.Name] = append(out[m.Name], m.says...)
		}
	}
	return out
}

// SourceIn tells what stands behind a mount's name in a view: where each of its
// parts lies and shows. "" if the view has no such mount, or it is no view.
func SourceIn(fsys FS, mount string) string {
	v, ok := fsys.(*view)
	if !ok {
		return ""
	}
	var out []string
	for _, m := range v.mounts {
		if m.Name != mount || m.source == "" {
			continue
		}
		at, source := m.at, m.source
		for at != "." && path.Base(at) == path.Base(source) { // a restriction changes nothing
			at, source = path.Dir(at), path.Dir(source)
		}
		out = append(out, at+"="+source)
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

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
