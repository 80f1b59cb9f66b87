package sandbox

// Guarded returns the sources of the directories in which a view protects files that define
// a project or a library (SPEC §8). It returns nil if fsys is not a view.
func Guarded(fsys FS) []string {
	v, ok := fsys.(*view)
	if !ok {
		return nil
	}
	return v.spec.Protection.roots(nil)
}

func (p Protection) roots(out []string) []string {
	if p.Rules != nil {
		out = append(out, p.Root)
	}
	for _, also := range p.Also {
		out = also.roots(out)
	}
	return out
}

// Defines reports whether no worker with this view may write the file or directory with a
// source, because it defines the project or a library, or belongs to golem. The file need
// not be in the view.
func Defines(fsys FS, source string) bool {
	v, ok := fsys.(*view)
	return ok && v.spec.Protection.write(place{name: source, mount: &mounted{source: source}, rel: "."}) != nil
}
