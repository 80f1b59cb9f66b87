package sandbox

import "slices"

// Partial returns why a view is less than the whole project, readable and writable
// with nothing staged, or "" if it is not less. If it is less, a tool that works
// outside the view, such as a shell, could do more than the view permits.
func Partial(fsys FS) string {
	v, ok := fsys.(*view)
	if !ok {
		return "it has no files"
	}
	root := v.spec.Protection.Root
	if v.spec.ReadOnly {
		return "it is read-only"
	}
	for _, c := range v.modes {
		if c.Mode != ReadWrite && (contains(root, c.Source) || contains(c.Source, root)) {
			return (&Bound{root: root}).placeOf(Mount{Source: c.Source}) + " is " + string(c.Mode) + ", here or in a caller"
		}
	}
	for _, p := range append([]Protection{v.spec.Protection}, v.spec.Protection.Also...) {
		if slices.ContainsFunc(p.Closed, func(c string) bool { return contains(root, c) || contains(c, root) }) {
			return "$GOLEM_HOME is in it, or it is in $GOLEM_HOME"
		}
	}
	for i := range v.mounts {
		m := &v.mounts[i]
		if m.source != root || m.File != "" || m.Mode != ReadWrite || m.limited() {
			continue
		}
		if why := v.hides(m); why != "" {
			return why
		}
		return ""
	}
	if v.only != "." {
		return "it is restricted to " + Abs(v.only)
	}
	return "it does not have all files of the project"
}

// hides returns which part of a mount the view does not show, because another
// mount of this worker or a caller covers it with other files, or "".
func (v *view) hides(m *mounted) string {
	holes := slices.Clone(m.holes)
	var attachments []string // places of attachments, which cover a directory of that name in every view
	for _, over := range v.mounts {
		switch {
		case over.at == m.at || !Within(over.at, m.at):
		case over.Unrestricted:
			attachments = append(attachments, relativeTo(over.at, m.at))
		default:
			holes = append(holes, relativeTo(over.at, m.at))
		}
	}
	for _, h := range holes {
		same := func(o mounted) bool {
			rel, ok := relative(o.source, m.source)
			return ok && rel == h && o.Mode == ReadWrite && !o.limited()
		}
		if !slices.Contains(attachments, h) && !slices.ContainsFunc(v.mounts, same) {
			return "another mount covers " + Abs(h)
		}
	}
	return ""
}
