package sandbox

import (
	"io/fs"
	"path"
	"strings"
)

// SourceOf returns where a tree is: the real path if the tree knows it,
// otherwise the fallback, a slash path relative to the project root. Two mounts
// overlap if the source of one is inside the source of the other.
func SourceOf(fsys FS, fallback string) string {
	if s, ok := fsys.(interface{ Source() string }); ok && s.Source() != "" {
		return s.Source()
	}
	if fallback == "" {
		return ""
	}
	return path.Clean(fallback)
}

// sourceOf returns the source of the tree, or the single file of it, that Nest
// opened. The fallback is the place that the name suggests.
func sourceOf(fsys FS, file, fallback string) string {
	if file == "" {
		return SourceOf(fsys, fallback)
	}
	if dir := SourceOf(fsys, ""); dir != "" {
		return path.Join(dir, file)
	}
	return path.Clean(fallback)
}

// contains reports whether the source inner equals outer or is inside it. It compares
// folded paths, because a disk may ignore case. Both are slash paths; "" neither
// contains a source nor is inside one.
func contains(outer, inner string) bool { return isInside(Fold(inner), Fold(outer)) }

// isInside reports whether inner equals outer or is inside it, without folding.
func isInside(inner, outer string) bool {
	if outer == "" || inner == "" {
		return false
	}
	if outer == "." {
		return !strings.HasPrefix(inner, "/") && inner != ".." && !strings.HasPrefix(inner, "../")
	}
	return inner == outer || strings.HasPrefix(inner, strings.TrimSuffix(outer, "/")+"/")
}

// Inside reports whether the source inner equals outer or is inside it, without folding.
func Inside(inner, outer string) bool {
	_, ok := relative(inner, outer)
	return ok
}

// Below returns the source inner relative to outer, without folding; "." for outer itself. ok
// is false if outer does not contain it.
func Below(inner, outer string) (rel string, ok bool) { return relative(inner, outer) }

// relative returns inner relative to outer. ok is false if outer does not contain it.
// It compares exactly, because treating two names as one would permit too much.
func relative(inner, outer string) (rel string, ok bool) {
	switch {
	case inner == "" || !isInside(inner, outer):
		return "", false
	case inner == outer:
		return ".", true
	case outer == ".":
		return inner, true
	}
	return strings.TrimPrefix(inner[len(outer):], "/"), true
}

// Nest opens the directory or file at a name of a tree, so that it can be
// mounted. For a directory it returns a nested handle and ""; for a file it
// returns its directory and its name there. It follows links inside the tree.
// fs.ErrNotExist means that the name does not exist.
func Nest(base FS, name string) (dir FS, file string, err error) {
	name, err = resolve(base, name)
	if err != nil || name == "." {
		return base, "", err
	}
	info, err := fs.Stat(base, name)
	if err != nil {
		return nil, "", err
	}
	if !info.IsDir() {
		name, file = path.Split(name)
		name = path.Clean(name)
	}
	if name == "." {
		return base, file, nil
	}
	sub, ok := base.(SubFS)
	if !ok {
		return nil, "", perr("sub", name, ErrInvalid)
	}
	dir, err = sub.SubFS(name)
	return dir, file, err
}

// Later returns a directory that does not exist yet. The first write creates it,
// at the place to which the links of the name lead now.
func Later(base FS, name string) (FS, error) {
	name, err := resolve(base, name)
	if err != nil {
		return nil, err
	}
	sub, ok := base.(SubFS)
	if !ok {
		return nil, perr("sub", name, ErrInvalid)
	}
	return Lazy(sub, name), nil
}

// resolve follows the links of a name if the tree is a Resolver. Otherwise it only
// checks the name.
func resolve(fsys FS, name string) (string, error) {
	if r, ok := fsys.(Resolver); ok {
		return r.Resolve(name)
	}
	return name, Valid(name)
}

// NameOf returns the name by which a view shows the file at a source. The file need not
// exist. ok is false if the view does not show it: no mount has it, another mount covers
// it, it is protected, or its suffix is not allowed. Sources are compared exactly,
// without folding.
func NameOf(fsys FS, source string) (name string, ok bool) {
	v, isView := fsys.(*view)
	if !isView {
		return "", false
	}
	for i := range v.mounts {
		m := &v.mounts[i]
		rel, within := relative(source, m.source)
		if !within || m.File != "" && rel != "." {
			continue
		}
		name := m.at
		if rel != "." {
			name = join(m.at, rel)
		}
		p, way, err := v.find("stat", name)
		if err != nil || way || p.source() != source || v.visible(p) != nil || m.readable(p, 0) != nil || m.holed(p.rel) {
			continue
		}
		return name, true
	}
	return "", false
}

// SourceAt returns the source of the file or directory that a view shows by a name; it need
// not exist. It is "" where NameOf would not return the name, and where links lead to it.
func SourceAt(fsys FS, name string) string {
	v, isView := fsys.(*view)
	if !isView {
		return ""
	}
	p, way, err := v.find("stat", name)
	if err != nil || way {
		return ""
	}
	if r, ok := p.mount.fs.(Resolver); ok {
		if rel, err := r.Resolve(p.rel); err != nil || rel != p.rel {
			return ""
		}
	}
	source := p.source()
	if back, ok := NameOf(fsys, source); !ok || back != name {
		return ""
	}
	return source
}
