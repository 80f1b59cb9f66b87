package sandbox

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"golem/core/fault"
)

var errThroughLink = fault.New(fault.Path, "this is a symbolic link, and golem does not write through links").
	Hinting("write to the file that the link points to")

// renamed returns an error of a mount's tree with the view's name of the file.
func renamed(err error, op, name string) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return perr(op, name, pe.Err)
	}
	return err
}

// target finds the place of a name that is to be changed. It returns an error
// if the view, the mount or another mount of the same files does not permit
// changes, if the name leads through a link, or if the file is protected.
func (v *view) target(op, name string) (place, error) {
	p, way, err := v.find(op, name)
	switch {
	case err != nil:
		return p, err
	case way || p.rel == "." || len(v.points(name)) > 0 || p.mount.holed(p.rel) || p.mount.File != "" && op != "write":
		return p, fault.New(fault.ReadOnly, "%s is a mount of the sandbox and cannot be changed", Abs(name))
	case v.spec.ReadOnly:
		return p, fault.New(fault.ReadOnly, "%s cannot be changed: this worker's sandbox is read-only", Abs(name)).
			Hinting("readonly: true of a worker also holds for every worker that it calls")
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

// CanWrite returns the error that writing a file of this name would give, so that
// no person is asked to approve a call that cannot succeed. It does not check the
// content against limits and quota. It returns nil if fsys is neither a view nor
// an Asked.
func CanWrite(fsys FS, name string) error {
	if a, ok := fsys.(Asked); ok {
		return a.CanWrite(name)
	}
	v, ok := fsys.(*view)
	if !ok {
		return nil
	}
	_, err := v.target("write", name)
	return err
}

func (v *view) writable(p place) error {
	kept := stages(p.mount.fs)
	if p.mount.Mode == ReadOnly || p.mount.Mode == Staged && !kept {
		return fault.New(fault.ReadOnly, "%s cannot be changed: the mount %s is read-only", Abs(p.name), p.mount.Name).
			Hinting("write to a mount with mode: rw")
	}
	source := p.source()
	for _, c := range v.modes {
		if c.Mode != ReadWrite && !(c.Mode == Staged && kept) && !slices.Contains(p.mount.exempt, c) && (contains(c.Source, source) || contains(source, c.Source)) {
			return fault.New(fault.ReadOnly, "%s cannot be changed: a %s mount of this worker or of a caller has the same files", Abs(p.name), c.Mode.word()).
				Hinting("where two mounts have the same files, the stricter mode holds")
		}
	}
	return nil
}

// WriteFile replaces a file atomically. The limits of the mount and of the run
// apply.
func (v *view) WriteFile(name string, data []byte) error { return v.write(name, data, 0) }

func (v *view) write(name string, data []byte, perm fs.FileMode) error {
	p, err := v.target("write", name)
	if err == nil {
		err = ValidNew(name)
	}
	if err == nil {
		err = p.mount.limits(p, int64(len(data)))
	}
	if err == nil {
		err = v.spec.Quota.countWrite(p, int64(len(data)))
	}
	if err != nil {
		return perr("write", name, plain(err))
	}
	err = v.change(Write{Op: OpWrite, Data: data}, p, p, func() error { return WritePerm(p.mount.fs, p.rel, data, perm) })
	return renamed(err, "write", name)
}

// limits checks the mount's suffixes and size limit before a file is written.
func (m *mounted) limits(p place, size int64) error {
	for _, l := range m.inherited() {
		if l.bytes > 0 && size > l.bytes {
			return fault.New(fault.Limit, "%s would have %d bytes; the mount %s allows %d", Abs(p.name), size, l.name, l.bytes).
				Hinting("write less, or split the file")
		}
		if err := l.suffix(p); err != nil {
			return err
		}
	}
	return nil
}

// readable checks the mount's suffixes and size limit before a file is read.
func (m *mounted) readable(p place, size int64) error {
	for _, l := range m.inherited() {
		if l.bytes > 0 && size > l.bytes {
			return fault.New(fault.Limit, "%s has %d bytes; the mount %s allows %d", Abs(p.name), size, l.name, l.bytes).
				Hinting("max_file_bytes of a mount limits reading, too")
		}
		if err := l.suffix(p); err != nil {
			return err
		}
	}
	return nil
}

func (l limits) suffix(p place) error {
	base := strings.ToLower(path.Base(p.rel))
	if len(l.suffixes) == 0 || slices.ContainsFunc(l.suffixes, func(s string) bool { return s != "" && strings.HasSuffix(base, strings.ToLower(s)) }) {
		return nil
	}
	return fault.New(fault.Limit, "the mount %s does not allow %s: %s", l.name, FilesWith(path.Ext(p.rel)), Abs(p.name)).
		Hinting("allowed suffixes: %s", strings.Join(l.suffixes, ", "))
}

// FilesWith returns the phrase for files with a suffix that messages use, such as
// `".md" files`. suffix is "" for files without one.
func FilesWith(suffix string) string {
	if suffix == "" {
		return "files without a suffix"
	}
	return strconv.Quote(suffix) + " files"
}

// Remove deletes a file or an empty directory.
func (v *view) Remove(name string) error {
	p, err := v.target("remove", name)
	if err != nil {
		return perr("remove", name, plain(err))
	}
	err = v.change(Write{Op: OpRemove}, p, p, func() error { return p.mount.fs.Remove(p.rel) })
	return renamed(err, "remove", name)
}

// Mkdir makes one directory.
func (v *view) Mkdir(name string, perm fs.FileMode) error {
	p, err := v.target("mkdir", name)
	if err == nil {
		err = ValidNew(name)
	}
	if err == nil {
		err = v.spec.Quota.countWrite(p, 0)
	}
	if err != nil {
		return perr("mkdir", name, plain(err))
	}
	err = v.change(Write{Op: OpMkdir}, p, p, func() error { return p.mount.fs.Mkdir(p.rel, perm) })
	return renamed(err, "mkdir", name)
}
