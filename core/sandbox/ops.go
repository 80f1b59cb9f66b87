package sandbox

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
)

// Resolver is an FS that can tell where a name leads once symbolic links are
// followed. Protection judges the place, not the link.
type Resolver interface {
	Resolve(name string) (string, error)
}

// reach settles a name for reading: links resolved, protection applied.
func (v *view) reach(op, name string) (place, bool, error) {
	p, way, err := v.find(op, name)
	if err != nil || way {
		return p, way, err
	}
	if r, ok := p.mount.fs.(Resolver); ok {
		rel, err := r.Resolve(p.rel)
		if err != nil {
			return p, false, v.rename(err, op, name)
		}
		p.rel = rel
		if q, _, err := v.find(op, join(p.mount.at, rel)); err != nil || q.mount != p.mount {
			return p, false, errShadowed
		}
	}
	if err := v.spec.Protection.read(p); err != nil {
		return p, false, err
	}
	// a directory that only a mount below it makes, or that hides a file
	return p, v.leads(name) && !v.dir(p), nil
}

var (
	errShadowed = fault.New(fault.Path, "a symbolic link to where another mount lies").
			Hinting("use the path in that mount")
	errThroughLink = fault.New(fault.Path, "a symbolic link, and links are not written through").
			Hinting("write to the file it leads to")
)

// rename puts the view's name into an error of the mount's tree.
func (v *view) rename(err error, op, name string) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return perr(op, name, pe.Err)
	}
	return err
}

// Open opens a file or directory for reading.
func (v *view) Open(name string) (fs.File, error) {
	p, way, err := v.reach("open", name)
	if err != nil {
		return nil, perr("open", name, plain(err))
	}
	if way || p.rel == "." || v.dir(p) {
		entries, err := v.ReadDir(name)
		if err != nil {
			return nil, err
		}
		info, err := v.Stat(name)
		if err != nil {
			return nil, err
		}
		return &memDir{memFile: &memFile{info: info}, entries: entries}, nil
	}
	f, err := p.mount.fs.Open(p.rel)
	if err != nil {
		return nil, v.rename(err, "open", name)
	}
	info, err := f.Stat()
	if err == nil {
		err = v.spec.Protection.identity(p.mount.fs, info, name)
	}
	if err != nil {
		return nil, errors.Join(perr("open", name, plain(err)), f.Close())
	}
	return f, nil
}

func (v *view) dir(p place) bool {
	info, err := fs.Stat(p.mount.fs, p.rel)
	return err == nil && info.IsDir()
}

// ReadFile reads a whole file of at most 1 GiB.
func (v *view) ReadFile(name string) ([]byte, error) { return ReadFile(v, name, maxWhole) }

// maxWhole is the most a view holds in memory at once: for reading a whole
// file without a limit of the caller's, and for a move between mounts.
const maxWhole = 1 << 30

// Stat describes a file or directory; a directory on the way to a mount exists.
func (v *view) Stat(name string) (fs.FileInfo, error) {
	p, way, err := v.reach("stat", name)
	if err != nil {
		return nil, perr("stat", name, plain(err))
	}
	if way {
		return Info{Base: path.Base(name), Perm: fs.ModeDir | 0o555}, nil
	}
	info, err := fs.Stat(p.mount.fs, p.rel)
	if err != nil {
		return nil, v.rename(err, "stat", name)
	}
	if err := v.spec.Protection.identity(p.mount.fs, info, name); err != nil {
		return nil, perr("stat", name, err)
	}
	return Info{Base: path.Base(name), Bytes: info.Size(), Perm: info.Mode(), When: info.ModTime()}, nil
}

// ReadDir lists a directory: what the mount holds and may be read, and the
// mount points below it, sorted by name.
func (v *view) ReadDir(name string) ([]fs.DirEntry, error) {
	p, way, err := v.reach("readdir", name)
	if err != nil {
		return nil, perr("readdir", name, plain(err))
	}
	points := v.points(name)
	var out []fs.DirEntry
	if !way {
		entries, err := fs.ReadDir(p.mount.fs, p.rel)
		if err != nil {
			return nil, v.rename(err, "readdir", name)
		}
		for _, e := range entries {
			child := place{name: join(name, e.Name()), mount: p.mount, rel: join(p.rel, e.Name())}
			if Valid(child.name) != nil || v.spec.Protection.read(child) != nil || slices.Contains(points, e.Name()) {
				continue
			}
			if e.Type()&fs.ModeSymlink == 0 {
				out = append(out, e)
			} else if info, err := v.Stat(child.name); err == nil {
				out = append(out, fs.FileInfoToDirEntry(info)) // as what it leads to; a link to nothing readable is not there
			}
		}
	}
	for _, n := range points {
		if info, err := v.Stat(join(name, n)); err == nil {
			out = append(out, fs.FileInfoToDirEntry(info))
		}
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out, nil
}

// points are the next names on the way from dir to mounts below it.
func (v *view) points(dir string) []string {
	var out []string
	for i := range v.mounts {
		m := &v.mounts[i]
		if m.at == dir || !Within(m.at, dir) || m.hidden() {
			continue
		}
		next, _, _ := strings.Cut(below(m.at, dir), "/")
		if !slices.Contains(out, next) {
			out = append(out, next)
		}
	}
	return out
}

// target settles a name for changing: the view, the mount and every
// overlapping source must permit it, and no definition file is touched.
func (v *view) target(op, name string) (place, error) {
	p, way, err := v.find(op, name)
	switch {
	case err != nil:
		return p, err
	case way || p.rel == "." || len(v.points(name)) > 0:
		return p, fault.New(fault.ReadOnly, "%s is part of the sandbox itself and cannot be changed", Abs(name))
	case v.spec.ReadOnly:
		return p, fault.New(fault.ReadOnly, "%s cannot be changed: this worker's sandbox is read-only", Abs(name)).
			Hinting("readonly: true, here or in a caller, holds for everything below")
	}
	if err := v.writable(p); err != nil {
		return p, err
	}
	if err := v.spec.Protection.write(p); err != nil {
		return p, err
	}
	if r, ok := p.mount.fs.(Resolver); ok {
		rel, err := r.Resolve(p.rel)
		if err == nil && rel != p.rel {
			err = errThroughLink
		}
		return p, err
	}
	return p, nil
}

// CanWrite tells whether a view would let a name be changed at all, so that
// nobody is asked about what cannot be done. nil for any other tree.
func CanWrite(fsys FS, name string) error {
	v, ok := fsys.(*view)
	if !ok {
		return nil
	}
	_, err := v.target("write", name)
	return err
}

func (v *view) writable(p place) error {
	readonly := fault.New(fault.ReadOnly, "%s cannot be changed: the mount %s is read-only", Abs(p.name), p.mount.Name).
		Hinting("write to a mount with mode: rw")
	if p.mount.Mode != ReadWrite {
		return readonly
	}
	source := p.source()
	for _, c := range v.spec.Constraints {
		if c.Mode != ReadWrite && (contains(c.Source, source) || contains(source, c.Source)) {
			return fault.New(fault.ReadOnly, "%s cannot be changed: a read-only mount, here or in a caller, covers the same place", Abs(p.name)).
				Hinting("of two mounts of one place the stricter mode holds")
		}
	}
	return nil
}

// WriteFile replaces a file atomically, within the mount's and the run's limits.
func (v *view) WriteFile(name string, data []byte) error {
	p, err := v.target("write", name)
	if err == nil {
		err = ValidNew(name)
	}
	if err == nil {
		err = p.mount.limits(p, int64(len(data)))
	}
	if err == nil {
		err = v.spec.Quota.take(p, int64(len(data)))
	}
	if err != nil {
		return perr("write", name, plain(err))
	}
	return v.rename(p.mount.fs.WriteFile(p.rel, data), "write", name)
}

// limits holds a file against the mount's suffixes and size.
func (m *mounted) limits(p place, size int64) error {
	if m.MaxFileBytes > 0 && size > m.MaxFileBytes {
		return fault.New(fault.Limit, "%s would have %d bytes; the mount %s allows %d", Abs(p.name), size, m.Name, m.MaxFileBytes).
			Hinting("write less, or split the file")
	}
	return m.suffix(p)
}

func (m *mounted) suffix(p place) error {
	base := strings.ToLower(path.Base(p.rel))
	if len(m.Suffixes) == 0 || slices.ContainsFunc(m.Suffixes, func(s string) bool { return s != "" && strings.HasSuffix(base, strings.ToLower(s)) }) {
		return nil
	}
	return fault.New(fault.Limit, "the mount %s takes no %q files: %s", m.Name, path.Ext(p.rel), Abs(p.name)).
		Hinting("allowed suffixes: %s", strings.Join(m.Suffixes, ", "))
}

// Remove deletes a file or an empty directory.
func (v *view) Remove(name string) error {
	p, err := v.target("remove", name)
	if err != nil {
		return perr("remove", name, plain(err))
	}
	return v.rename(p.mount.fs.Remove(p.rel), "remove", name)
}

// Mkdir makes one directory.
func (v *view) Mkdir(name string, perm fs.FileMode) error {
	p, err := v.target("mkdir", name)
	if err == nil {
		err = ValidNew(name)
	}
	if err == nil {
		err = v.spec.Quota.take(p, 0)
	}
	if err != nil {
		return perr("mkdir", name, plain(err))
	}
	return v.rename(p.mount.fs.Mkdir(p.rel, perm), "mkdir", name)
}
