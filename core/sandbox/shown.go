package sandbox

import (
	"fmt"
	"slices"
	"strings"
)

// Shown describes the files of a view. short is for people: "/ (rw), /notes
// (ro)". exact is for comparing: two views with the same text show the same
// files in the same modes. Attachments are left out.
func Shown(fsys FS) (short, exact string) {
	v, ok := fsys.(*view)
	if !ok {
		return "its files", fmt.Sprintf("%T %p", fsys, fsys) // equal to itself alone
	}
	var names, all []string
	for i := range v.mounts {
		m := &v.mounts[i]
		if m.Unrestricted {
			continue
		}
		mode := v.modeOf(m)
		names = append(names, fmt.Sprintf("%s (%s)", Abs(m.at), mode))
		all = append(all, fmt.Sprintf("%q %q %q %q %q %q %d %q %+v", m.at, m.source, m.File, mode, m.holes, m.Suffixes, m.MaxFileBytes, m.Name, m.callers))
	}
	for _, c := range v.modes {
		all = append(all, fmt.Sprintf("%q %q", c.Source, c.Mode))
	}
	slices.Sort(names)
	slices.Sort(all)
	return strings.Join(names, ", "), fmt.Sprintf("%q %q %v", v.only, all, v.spec.ReadOnly)
}

// Seen is one mount as a view shows it.
type Seen struct {
	Name string
	At   string // "/notes"; if a restriction is inside the mount, the restriction
	Mode Mode   // the mode that applies, after readonly and stricter mounts of the same files
}

// Mounts returns the mounts of a view, without attachments. It returns nil if fsys is
// not a view.
func Mounts(fsys FS) []Seen {
	v, ok := fsys.(*view)
	if !ok {
		return nil
	}
	var out []Seen
	for i := range v.mounts {
		if m := &v.mounts[i]; !m.Unrestricted {
			out = append(out, Seen{m.Name, Abs(m.at), v.modeOf(m)})
		}
	}
	return out
}

// modeOf returns the strictest of the modes that apply to all of a mount.
func (v *view) modeOf(m *mounted) Mode {
	mode := m.Mode
	if v.spec.ReadOnly {
		mode = ReadOnly
	}
	for _, c := range v.modes {
		if !slices.Contains(m.exempt, c) && contains(c.Source, m.source) {
			mode = Stricter(mode, c.Mode)
		}
	}
	return mode
}
