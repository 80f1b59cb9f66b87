package sandbox

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/sorting"
)

// Mount puts a tree, or a single file of it, at a place in a view.
type Mount struct {
	Name         string // for messages and approvals: "root", "input"
	At           string // io/fs name of the mount point; "." is the root
	FS           FS
	File         string // mount only this file of FS, at At itself; "" means the whole tree
	Source       string // where the mounted files are, see SourceOf; overlaps, bounds and protection are judged by it; "" means nowhere
	Mode         Mode
	Suffixes     []string    // allowed file suffixes, with the dot; none means any
	MaxFileBytes int64       // 0: the mount sets no limit
	Outside      bool        // the source lies outside the project, which a person allowed
	Own          bool        // declared by the worker itself: outside the caller's bound it is E_ESCALATION; other mounts are left out there
	Where        fault.Where // where it is configured, for errors
	Policy       any         // the owner's policy for calls that use the mount; this package does not look at it, see CallerPolicies
	HideEmpty    bool        // not listed while it is empty
	Unrestricted bool        // visible under every restriction and bound (attachments)

	exempt  []*Constraint // constraints that do not apply, because they come from the root mount that contains this mount
	callers []limits      // limits of the callers' mounts that contain this mount
	says    []any         // policies of the same mounts, the outermost caller's first
	holes   []string      // names in FS that the callers do not see, because another of their mounts covers them
}

// limits are the limits that a mount sets for its files.
type limits struct {
	name     string // name of the mount
	suffixes []string
	bytes    int64
}

// Constraint sets the mode for everything below a source, whichever mount leads
// there: of overlapping sources the stricter mode wins (SPEC §8).
type Constraint struct {
	Source string
	Mode   Mode
}

// ViewSpec describes what one worker sees.
type ViewSpec struct {
	Mounts []Mount
	// Bound is what the caller allows; nil means no bound. A view that declares
	// no mounts, apart from unrestricted ones, gets the caller's mounts.
	Bound       *Bound
	Constraints []Constraint // in addition to the modes of the mounts
	Restricts   []string     // io/fs names, the outermost first; all of them apply
	ReadOnly    bool
	Protection  Protection
	Quota       *Quota  // shared by all views of a run; nil means no limits
	Changes     Changes // nil: staged mounts are read-only, and no change is recorded
}

// Changes keeps what changes through views.
type Changes interface {
	// Stage returns the tree that keeps the changes of a staged mount apart from the
	// real files; base and source are the mount's.
	Stage(base FS, source string) (FS, error)
	// Before is called before each change of real files; changes of staged files are not
	// recorded. An error prevents the change. after, unless nil, is called when the change
	// was made or has failed.
	Before(Write) (after func(made bool), err error)
}

// view is the file tree that a worker sees. Its mounts never change. They are opened
// once; if a restriction is inside a mount, as a nested handle of the restriction.
type view struct {
	mounts []mounted // the longest mount point first
	modes  []*Constraint
	spec   ViewSpec
	only   string // the effective restriction; "." means none

	secrets *secrets
}

// mounted is a mount in a view. If a restriction is inside the mount, at, source
// and fs are those of the restriction, and Mount has those of the mount itself.
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

// View returns a worker's view: its mounts, cut to the caller's bound and then
// to the restrictions. Restrictions can only reduce the view: if one is inside
// another, the inner one applies, and two that exclude each other are
// E_ESCALATION. A restriction is also an error if no mount contains it, or if
// it does not exist in its mount or cannot be opened as a nested handle.
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
	sorting.By(mounts, func(a, b Mount) int { return len(key(b.At)) - len(key(a.At)) })
	var points []string
	for _, m := range mounts {
		points = append(points, m.At)
	}
	held := false // whether the mount that contains the restriction was found
	for _, m := range mounts {
		if m, err = v.staged(m); err != nil {
			return nil, err
		}
		in := mounted{Mount: m, at: m.At, source: m.Source, fs: m.FS}
		switch {
		case Within(m.At, v.only) || m.Unrestricted:
			held = held || m.At == v.only
		case Within(v.only, m.At) && !held:
			held = true
			if err := in.narrow(v.only, points); err != nil {
				return nil, err
			}
		default:
			continue
		}
		if err := spec.Protection.read(in.top()); err != nil {
			return nil, fault.Of(err, fault.Protected).At(m.Where.File, m.Where.Line, m.Where.Column)
		}
		if err := v.aroundClosed(&in); err != nil {
			return nil, fault.Of(err, fault.Protected).At(m.Where.File, m.Where.Line, m.Where.Column)
		}
		v.mounts = append(v.mounts, in)
	}
	return v, v.reached()
}

// aroundClosed returns E_PROTECTED if a writable mount outside the project contains a closed
// place, $GOLEM_HOME: this counts only outside every place that a worker may write (SPEC §3).
// Whether it may lie in the project's root, the host has decided.
func (v *view) aroundClosed(m *mounted) error {
	p := v.spec.Protection
	if v.modeOf(m) != ReadWrite || m.Unrestricted {
		return nil
	}
	for _, c := range p.Closed {
		if contains(m.source, c) && !contains(p.Root, c) {
			return fault.New(fault.Protected, "%s contains $GOLEM_HOME, and workers could write around it", Abs(m.at)).
				Hinting("mount a directory below it, mount it with mode: ro, or set GOLEM_HOME elsewhere")
		}
	}
	return nil
}

// restrict combines one more restriction with the effective one.
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

// reached returns an error if the restriction leaves nothing visible.
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

// locate joins relative sources of mounts and constraints to the project's root.
// A tree that does not exist yet (./output) has no real path, and must not avoid
// the protection or a stricter mode because of that. A file mounted at the root
// is E_CONFIG.
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

// key returns a sort key that orders mount points by length, with the root first.
func key(at string) string {
	if at == "." {
		return ""
	}
	return at
}

// fault returns an error at the place where the mount is configured.
func (m *Mount) fault(code fault.Code, format string, args ...any) *fault.Fault {
	return fault.New(code, format, args...).At(m.Where.File, m.Where.Line, m.Where.Column)
}

// top returns the place of the mount itself.
func (m *mounted) top() place {
	rel := "."
	if m.File != "" {
		rel = m.File
	}
	return place{name: m.at, mount: m, rel: rel}
}

// narrow replaces the mount by a nested handle of the restriction.
func (m *mounted) narrow(only string, points []string) error {
	if _, ok := m.FS.(SubFS); !ok && m.File == "" && !m.hidden(relativeTo(only, m.At)) {
		return fault.New(fault.Escalation, "the mount %s cannot be restricted to %s on this platform", m.Name, Abs(only))
	}
	if err := m.nest(only, false, points); err != nil {
		return fault.New(fault.NotFound, "the sandbox cannot be restricted to %s: %w", Abs(only), plain(err)).
			Hinting("create the directory, or change restrict")
	}
	return nil
}

// plain returns the error without the path of an fs.PathError; the caller's
// message already has the path.
func plain(err error) error {
	if p, ok := err.(*fs.PathError); ok {
		return p.Err
	}
	return err
}

// place is the mount and the name in it to which a name of the view leads.
type place struct {
	name  string // in the view
	mount *mounted
	rel   string // in the mount's tree
}

// source returns where the file is outside the view, for overlaps and
// protection, or "" for a mount that is nowhere (attachments).
func (p place) source() string {
	switch {
	case p.mount.source == "":
		return ""
	case p.mount.File != "": // no other file of the tree is reached
		return p.mount.source
	}
	return path.Join(p.mount.source, p.rel)
}

// find returns the mount that a name belongs to. If there is none, way reports
// whether the name is a directory on the path to a mount.
func (v *view) find(op, name string) (p place, way bool, err error) {
	if err := Valid(name); err != nil {
		return place{}, false, err
	}
	for i := range v.mounts {
		m := &v.mounts[i]
		if !Within(name, m.at) {
			continue
		}
		p := place{name: name, mount: m, rel: relativeTo(name, m.at)}
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
	return place{}, false, perr(op, name, outside{v.restriction()})
}

// leads reports whether a visible mount point is below the name.
func (v *view) leads(name string) bool {
	return slices.ContainsFunc(v.mounts, func(m mounted) bool {
		return m.at != name && Within(m.at, name) && !m.unlisted()
	})
}

// unlisted reports whether the mount must not be listed now, because it is
// empty.
func (m *mounted) unlisted() bool {
	if !m.HideEmpty {
		return false
	}
	entries, err := fs.ReadDir(m.fs, ".")
	return err != nil || len(entries) == 0
}

// CallerPolicies returns the policies (Mount.Policy) of the callers' mounts
// through which the view sees its files. The key is the name of the view's mount.
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

// SourceIn returns a text that describes where the mounts of this name are: a line
// "at=source" for each. Two views in which the name stands for the same files give
// the same text, even if one is restricted. It returns "" if the view has no such
// mount, or fsys is not a view.
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
		for at != "." && path.Base(at) == path.Base(source) { // remove the path of a restriction
			at, source = path.Dir(at), path.Dir(source)
		}
		out = append(out, at+"="+source)
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// MountOf returns the name of the mount that a name belongs to, or "" if fsys
// is not a view, or the name is in no mount or only on the path to one.
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
