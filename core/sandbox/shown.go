package sandbox

import (
	"fmt"
	"slices"
	"strings"
)

// Shown describes what a view shows. short is for people: "/ (rw), /notes
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
		mode := m.Mode
		if v.spec.ReadOnly {
			mode = ReadOnly
		}
		for _, c := range v.modes {
			if !slices.Contains(m.exempt, c) && contains(c.Source, m.source) {
				mode = Stricter(mode, c.Mode)
			}
		}
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
