package sandbox

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/sorting"
)

// Resolver is an FS that can follow the symbolic links of a name. Protection
// judges the resulting place, not the link's name.
type Resolver interface {
	Resolve(name string) (string, error)
}

// reach finds the place of a name that is to be read: it follows links and
// applies the protection. Like find, it reports whether the name is only a
// directory on the path to a mount.
func (v *view) reach(op, name string) (place, bool, error) {
	p, way, err := v.find(op, name)
	if err != nil || way {
		return p, way, err
	}
	if r, ok := p.mount.fs.(Resolver); ok {
		rel, err := r.Resolve(p.rel)
		if err != nil {
			return p, false, renamed(err, op, name)
		}
		p.rel = rel
	}
	if err := v.visible(p); err != nil {
		return p, false, err
	}
	// The directory exists only because a mount is below it, or it is in the
	// place of a file.
	return p, v.leads(name) && !v.dir(p), nil
}

// visible returns an error if another mount covers the place, or the protection
// hides it.
func (v *view) visible(p place) error {
	if p.mount.File != "" && p.rel != p.mount.File {
		return errShadowed
	}
	if at := p.realName(); at != p.name {
		if q, _, err := v.find("open", at); err != nil || q.mount != p.mount {
			return errShadowed
		}
	}
	return v.spec.Protection.read(p)
}

// checkFound checks a file or directory after it was opened or described: by where it
// really is and by its identity, not by the name that led to it. what is the open
// file or its info.
func (v *view) checkFound(p *place, what any, info fs.FileInfo) error {
	if w, ok := what.(Placed); ok && w.Place() != "" && w.Place() != p.rel {
		p.rel = w.Place()
		if err := v.visible(*p); err != nil {
			return err
		}
	}
	if !info.IsDir() && p.mount.holed(p.rel) {
		return fs.ErrNotExist // the callers see a directory there, on the path to another mount
	}
	return v.identity(p.mount.fs, info, p.name)
}

// realName returns the name of the place without links.
func (p place) realName() string {
	if p.mount.File != "" {
		return p.mount.at
	}
	return join(p.mount.at, p.rel)
}

var errShadowed = fault.New(fault.Path, "this is a symbolic link that points outside its mount").
	Hinting("use the path of the file itself, if it is in a mount")

// Open opens a file or directory for reading.
func (v *view) Open(name string) (fs.File, error) {
	p, way, err := v.reach("open", name)
	if err != nil {
		return nil, perr("open", name, plain(err))
	}
	if way {
		return openDir(wayInfo(name), v.mountPoints(name)), nil
	}
	f, info, err := v.open("open", &p)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		entries, err := v.entries(p, f)
		if err = cmp.Or(err, f.Close()); err != nil {
			return nil, err
		}
		return openDir(plainInfo(info, name), entries), nil
	}
	if err := p.mount.readable(p, info.Size()); err != nil {
		return nil, cmp.Or(perr("open", name, err), f.Close())
	}
	if p.mount.File != "" {
		f = fileMount{wrapped{f}, name}
	}
	return v.spec.Quota.open(f, name)
}

// open opens a place in its mount and checks what was opened. It sets the place
// to where the file really is.
func (v *view) open(op string, p *place) (fs.File, fs.FileInfo, error) {
	f, err := p.mount.fs.Open(p.rel)
	if err != nil {
		return nil, nil, renamed(err, op, p.name)
	}
	info, err := f.Stat()
	if err == nil {
		err = v.checkFound(p, f, info)
	}
	if err != nil {
		return nil, nil, cmp.Or(perr(op, p.name, plain(err)), f.Close())
	}
	return f, info, nil
}

func (v *view) dir(p place) bool {
	info, err := fs.Stat(p.mount.fs, p.rel)
	return err == nil && info.IsDir()
}

// ReadFile reads a whole file of at most 1 GiB.
func (v *view) ReadFile(name string) ([]byte, error) { return ReadFile(v, name, maxWhole) }

// maxWhole is the most bytes that a view holds in memory for one file: when a
// file is read without another limit, and when it is moved between mounts.
const maxWhole = 1 << 30

// Stat describes a file or directory. A directory on the path to a mount
// exists.
func (v *view) Stat(name string) (fs.FileInfo, error) {
	info, _, err := v.stat(name)
	return info, err
}

// stat describes a file or directory and returns its name without links.
func (v *view) stat(name string) (described fs.FileInfo, real string, err error) {
	p, way, err := v.reach("stat", name)
	if err != nil {
		return nil, "", perr("stat", name, plain(err))
	}
	if way {
		return wayInfo(name), name, nil
	}
	info, err := fs.Stat(p.mount.fs, p.rel)
	if err != nil {
		return nil, "", renamed(err, "stat", name)
	}
	if err := v.checkFound(&p, info, info); err != nil {
		return nil, "", perr("stat", name, plain(err))
	}
	return plainInfo(info, name), p.realName(), nil
}

// LinkEntry is an entry of a view's directory that is a symbolic link. Its other methods
// describe what the link points to.
type LinkEntry interface {
	fs.DirEntry
	Target() string // the name of the file or directory in the view, without links
}

type linkEntry struct {
	fs.DirEntry
	target string
}

// Target implements LinkEntry.
func (e linkEntry) Target() string { return e.target }

// wayInfo describes a directory that exists only because it is on the path to a
// mount.
func wayInfo(name string) fs.FileInfo { return Info{Base: path.Base(name), Perm: fs.ModeDir | 0o555} }

// plainInfo returns the info under the view's name, without Sys, Place and Links of
// the mount's info.
func plainInfo(i fs.FileInfo, name string) fs.FileInfo {
	return Info{Base: path.Base(name), Bytes: i.Size(), Perm: i.Mode(), When: i.ModTime()}
}

// ReadDir lists a directory, sorted by name: the entries of the mount that may
// be read, and the mount points below it.
func (v *view) ReadDir(name string) ([]fs.DirEntry, error) {
	p, way, err := v.reach("readdir", name)
	if err != nil {
		return nil, perr("readdir", name, plain(err))
	}
	if way {
		return v.mountPoints(name), nil
	}
	f, _, err := v.open("readdir", &p)
	if err != nil {
		return nil, err
	}
	entries, err := v.entries(p, f)
	return entries, cmp.Or(err, f.Close())
}

// mountPoints returns the entries of a directory that exists only because of
// mounts.
func (v *view) mountPoints(name string) []fs.DirEntry {
	var out []fs.DirEntry
	for _, n := range v.points(name) {
		if info, err := v.Stat(join(name, n)); err == nil {
			out = append(out, fs.FileInfoToDirEntry(info))
		}
	}
	return sorted(out)
}

// entries returns the entries of an open directory of a mount, together with
// the mount points in it.
func (v *view) entries(p place, f fs.File) ([]fs.DirEntry, error) {
	rd, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil, perr("readdir", p.name, ErrNotDir)
	}
	listed, err := rd.ReadDir(-1)
	if err != nil {
		return nil, renamed(err, "readdir", p.name)
	}
	out, points := v.mountPoints(p.name), v.points(p.name)
	for _, e := range listed {
		child := place{name: join(p.name, e.Name()), mount: p.mount, rel: join(p.rel, e.Name())}
		if Valid(child.name) != nil || p.mount.hidden(child.rel) || !e.IsDir() && p.mount.holed(child.rel) || v.spec.Protection.read(child) != nil || slices.Contains(points, e.Name()) {
			continue
		}
		if e.Type()&fs.ModeSymlink == 0 {
			out = append(out, e)
		} else if info, to, err := v.stat(child.name); err == nil {
			out = append(out, linkEntry{fs.FileInfoToDirEntry(info), to}) // as what it points to, or not at all if that cannot be read
		}
	}
	return sorted(out), nil
}

func sorted(entries []fs.DirEntry) []fs.DirEntry {
	sorting.By(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries
}

// points returns the names in dir that are on the path to mounts below it.
func (v *view) points(dir string) []string {
	var out []string
	for i := range v.mounts {
		m := &v.mounts[i]
		if m.at == dir || !Within(m.at, dir) || m.unlisted() {
			continue
		}
		next, _, _ := strings.Cut(relativeTo(m.at, dir), "/")
		if !slices.Contains(out, next) {
			out = append(out, next)
		}
	}
	return out
}
