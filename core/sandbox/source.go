package sandbox

import (
	"io/fs"
	"path"
	"strings"
)

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

// sourceOf is SourceOf for what Nest opened: a tree, or one file of it. The
// fallback is where the name says it lies.
func sourceOf(fsys FS, file, fallback string) string {
	if file == "" {
		return SourceOf(fsys, fallback)
	}
	if dir := SourceOf(fsys, ""); dir != "" {
		return path.Join(dir, file)
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

// Inside reports whether a source is another one, or lies in it.
func Inside(inner, outer string) bool {
	_, ok := relative(inner, outer)
	return ok
}

// relative is a source as seen from another that it lies in, compared exactly:
// what permits may not take two names for one.
func relative(inner, outer string) (rel string, ok bool) {
	switch {
	case inner == "" || !inside(inner, outer):
		return "", false
	case inner == outer:
		return ".", true
	case outer == ".":
		return inner, true
	}
	return strings.TrimPrefix(inner[len(outer):], "/"), true
}

// Nest opens what lies at a name of a tree, so that it can be mounted: a
// directory as a nested handle, a file as the directory it lies in and its name
// there. Links are followed within the tree. fs.ErrNotExist: nothing is there.
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

// Later is a directory at a name of a tree where nothing lies yet: it is made
// by the first write, where the links of the name lead now.
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

// resolve follows the links of a name, where the tree has any.
func resolve(fsys FS, name string) (string, error) {
	if r, ok := fsys.(Resolver); ok {
		return r.Resolve(name)
	}
	return name, Valid(name)
}
