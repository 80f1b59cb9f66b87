package sandbox

import (
	"errors"
	"io/fs"
	"path"
	"slices"
)

// Disk is one directory or file of a view, with its place on the disk, for a program
// that runs outside the view.
type Disk struct {
	At     string // in the view, absolute: "/src"
	Source string // the real path, with slashes
	File   bool   // it is a single file
	Write  bool
	List   bool // a directory of which only the names may be listed
}

// OnDisk returns where the files of a view are, for a program that the operating
// system confines to these places. If such a program could do more than the view
// allows, or the view has no files, OnDisk returns no places, and why is the reason.
// It does not search for protected files inside the places; InReach does.
func OnDisk(fsys FS) (places []Disk, why string) {
	v, ok := fsys.(*view)
	if !ok {
		return nil, "it has no files"
	}
	for i := range v.mounts {
		m := &v.mounts[i]
		if m.Unrestricted {
			continue
		}
		if why := v.whyLoose(m); why != "" {
			return nil, Abs(m.at) + " " + why
		}
		places = append(places, Disk{At: Abs(m.at), Source: m.source, File: m.File != "", Write: v.modeOf(m) == ReadWrite})
	}
	if len(places) == 0 {
		return nil, "it has no files"
	}
	return places, ""
}

// whyLoose returns why a program with access to the directory of a mount could see or
// change more than the mount allows, or "" if it could not.
func (v *view) whyLoose(m *mounted) string {
	mode := v.modeOf(m)
	switch {
	case !absolute(m.source):
		return "is not on the disk"
	case mode == Staged:
		return "is staged: commands would change the real files"
	case m.limited():
		return "has limits (suffixes, max_file_bytes), which hold for tools only"
	}
	for _, p := range append([]Protection{v.spec.Protection}, v.spec.Protection.Also...) {
		if slices.ContainsFunc(p.Closed, func(c string) bool { return contains(m.source, c) || contains(c, m.source) }) {
			return "contains $GOLEM_HOME, or is in it"
		}
	}
	for _, c := range v.modes {
		if c.Source != m.source && contains(m.source, c.Source) && Stricter(mode, c.Mode) != mode {
			return "contains a part that is " + c.Mode.word() + ", here or in a caller"
		}
	}
	holes := slices.Clone(m.holes)
	for _, over := range v.mounts {
		if over.at != m.at && Within(over.at, m.at) && !over.Unrestricted {
			holes = append(holes, relativeTo(over.at, m.at))
		}
	}
	for _, h := range holes {
		same := func(o mounted) bool {
			rel, ok := relative(o.source, m.source)
			return ok && rel == h && (v.modeOf(&o) == ReadWrite || mode == ReadOnly)
		}
		if !slices.ContainsFunc(v.mounts, same) {
			return "contains " + h + ", which another mount covers"
		}
	}
	return ""
}

// maxLooked is the most files that InReach examines in one call.
const maxLooked = 200_000

// InReach returns the same as OnDisk, but also examines every file as it is now. From a
// read-only mount it leaves out the files that the worker must not read; their directory
// can then only be listed (Disk.List). It returns no places and why if a writable mount
// contains a file that the worker must not read or write, because the operating system
// gives write access only to whole directories, or if there are more than maxLooked files.
// It does not follow symbolic links: the operating system judges their targets by where
// they are.
func InReach(fsys FS) (places []Disk, why string) {
	all, why := OnDisk(fsys)
	v, ok := fsys.(*view)
	if why != "" || !ok {
		return nil, why
	}
	l := looking{view: v}
	for i := range v.mounts {
		m := &v.mounts[i]
		if m.Unrestricted {
			continue
		}
		top := all[0]
		all = all[1:]
		if top.File {
			info, err := fs.Stat(m.fs, m.File)
			if err == nil && v.guards(m.top(), fs.FileInfoToDirEntry(info)) == "" {
				places = append(places, top)
			}
			continue
		}
		whole, parts := l.dir(m, ".")
		switch {
		case l.why != "" && top.Write || l.seen > maxLooked:
			return nil, l.why
		case whole:
			places = append(places, top)
		default:
			places = append(places, parts...)
		}
		l.why = ""
	}
	return places, ""
}

// looking is a walk through the mounts of a view.
type looking struct {
	view *view
	seen int
	why  string // why the worker must not use the first such file that was found
}

// dir reports whether the worker may use everything in a directory. If not, parts are
// the places in it that the worker may use.
func (l *looking) dir(m *mounted, rel string) (whole bool, parts []Disk) {
	entries, err := fs.ReadDir(m.fs, rel)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil // made by the first write, or gone meanwhile
	}
	if l.seen += len(entries); err != nil || l.seen > maxLooked {
		l.note(Abs(join(m.at, rel)) + " cannot be looked at, or the worker sees too many files to look at all")
		return false, nil
	}
	whole = true
	for _, d := range entries {
		name := join(rel, d.Name())
		if why := l.view.guards(place{name: join(m.at, name), mount: m, rel: name}, d); why != "" {
			l.note(why)
			whole = false
			continue
		}
		part := Disk{At: Abs(join(m.at, name)), Source: path.Join(m.source, name), File: !d.IsDir()}
		switch {
		case d.IsDir():
			all, inside := l.dir(m, name)
			if all {
				inside = []Disk{part}
			}
			whole, parts = whole && all, append(parts, inside...)
		case d.Type().IsRegular():
			parts = append(parts, part)
		}
	}
	if whole {
		return true, nil
	}
	return false, append(parts, Disk{At: Abs(join(m.at, rel)), Source: path.Join(m.source, rel), List: true})
}

func (l *looking) note(why string) {
	if l.why == "" {
		l.why = why
	}
}

// guards returns why the worker may not use a file or directory in the same way as the
// directory that contains it, or "" if it may.
func (v *view) guards(p place, d fs.DirEntry) string {
	at := Abs(p.name)
	if p.mount.File != "" {
		at = Abs(p.mount.at)
	}
	if v.spec.Protection.read(p) != nil {
		return at + " is in its directories, and no worker reads it"
	}
	if len(v.spec.Protection.Files) > 0 && d.Type().IsRegular() {
		if info, err := d.Info(); err != nil || v.spec.Protection.identity(p.mount.fs, info, p.name) != nil {
			return at + " is in its directories, and is another name of a file that no worker reads"
		}
	}
	if v.modeOf(p.mount) == ReadWrite && !d.IsDir() && v.spec.Protection.write(p) != nil {
		return at + " is in its directories, and no worker writes it"
	}
	return ""
}
