package run

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/sandbox"
)

// mountSource is what a mount shows: a directory, or one file of a directory.
type mountSource struct {
	fs      sandbox.FS
	file    string // the file in fs; "": the directory itself
	place   string // its real place, see sandbox.SourceOf
	missing bool   // it does not exist: the first write makes it as a directory
}

// files opens what mounts name, each once for all worker runs of a tree.
type files struct {
	files   Files
	mounts  onces[sandbox.FS]  // directories that the platform opens, by name
	sources onces[mountSource] // of mounts, by name
}

// source opens a mount's source once; all worker runs share the handle. A source in the
// project is a nested handle of the project's root.
func (f *files) source(ctx context.Context, name string) (mountSource, error) {
	return f.sources.get(ctx, name, false, func() (mountSource, error) {
		if isOutside(name) {
			return f.openOutside(ctx, name)
		}
		root, err := f.root(ctx)
		if err != nil {
			return mountSource{}, err
		}
		return nested(root, path.Clean(name), name)
	})
}

// isOutside reports whether a mount's source is outside the project.
func isOutside(source string) bool {
	return path.IsAbs(source) || source == ".." || strings.HasPrefix(source, "../") || len(source) > 1 && source[1] == ':'
}

// root returns the project's root as the sandbox sees it.
func (f *files) root(ctx context.Context) (sandbox.FS, error) {
	return f.mounts.get(ctx, ".", false, func() (sandbox.FS, error) { return f.files.Mount(".") })
}

// openOutside opens a source outside the project, which a person has allowed.
func (f *files) openOutside(ctx context.Context, name string) (mountSource, error) {
	dir, err := f.files.Mount(name)
	if err == nil {
		return mountSource{fs: dir, place: sandbox.SourceOf(dir, name)}, nil
	}
	parent, perr := f.mounts.get(ctx, path.Dir(name), false, func() (sandbox.FS, error) { return f.files.Mount(path.Dir(name)) })
	if perr != nil {
		return mountSource{}, err
	}
	return nested(parent, path.Base(name), name)
}

// nested opens a name below a directory. If nothing is there, the source is missing.
func nested(base sandbox.FS, name, declared string) (mountSource, error) {
	dir, file, err := sandbox.Nest(base, name)
	if errors.Is(err, fs.ErrNotExist) {
		later, err := sandbox.Later(base, name)
		return mountSource{fs: later, place: sandbox.SourceOf(later, declared), missing: true}, err
	}
	s := mountSource{fs: dir, file: file}
	switch real := sandbox.SourceOf(dir, ""); {
	case err != nil:
	case real == "" || file == "":
		s.place = sandbox.SourceOf(dir, declared)
		if file != "" {
			s.place = path.Clean(declared)
		}
	default:
		s.place = path.Join(real, file)
	}
	return s, err
}

// openAll opens the mounts of a worker's configuration, and returns all their faults at
// once.
func (f *files) openAll(ctx context.Context, w *project.Worker) (out []sandbox.Mount, later fault.List, err error) {
	var faults fault.List
	for _, m := range w.Sandbox.Mounts {
		opened, warning, err := f.open(ctx, m)
		switch {
		case err != nil:
			faults = append(faults, fault.Of(err, fault.NotFound))
		case warning != nil:
			later = append(later, warning)
		}
		out = append(out, opened)
	}
	return out, later, faults.Err()
}

// open returns a mount of a worker's configuration for its view. A source that does not
// exist is E_NOT_FOUND if nothing may be written; else later warns that the first write
// makes it.
func (f *files) open(ctx context.Context, m project.Mount) (out sandbox.Mount, later *fault.Fault, err error) {
	file, line := position(m.Origin)
	if line == 0 {
		file = "" // the default root is in no file
	}
	at := func(flt *fault.Fault) *fault.Fault { return flt.At(file, line, 0) }
	out = sandbox.Mount{
		Name: m.Name, Mode: m.Mode, Suffixes: m.Suffixes, MaxFileBytes: m.MaxFileBytes, Own: m.Own, Where: fault.Where{File: file, Line: line},
	}
	if out.At, err = sandbox.Clean(m.Target); err != nil {
		return out, nil, at(fault.Of(err, fault.Path))
	}
	s, err := f.source(ctx, m.Source)
	if err != nil {
		return out, nil, at(fault.Of(err, fault.NotFound))
	}
	switch {
	case s.missing && m.Mode == sandbox.ReadOnly:
		return out, nil, at(f.hintNearest(ctx, m, fault.New(fault.NotFound, "the mount %s is %s, and there is no such file or directory", m.Target, asWritten(m.Source)).
			Hinting("create it, or correct the path; with mode: rw the first write creates it")))
	case s.missing:
		later = at(f.hintNearest(ctx, m, fault.Warn(fault.NotFound, "the mount %s is %s, which does not exist yet: the first write creates it as a directory", m.Target, asWritten(m.Source)).
			Hinting("create it, if it should exist before the run")))
	}
	out.FS, out.File, out.Source, out.Outside = s.fs, s.file, s.place, isOutside(m.Source)
	if len(m.Approval) > 0 {
		out.Policy = m.Approval
	}
	return out, later, nil
}

// asWritten returns a source in the form that people write.
func asWritten(source string) string {
	if path.IsAbs(source) || strings.HasPrefix(source, ".") {
		return source
	}
	return "./" + source
}

// hintNearest adds a hint with the source that may be meant instead of one that does not exist.
func (f *files) hintNearest(ctx context.Context, m project.Mount, missing *fault.Fault) *fault.Fault {
	if dir, err := f.source(ctx, path.Dir(m.Source)); err == nil && dir.file == "" {
		var names []string
		if entries, err := fs.ReadDir(dir.fs, "."); err == nil {
			for _, e := range entries {
				names = append(names, e.Name())
			}
		}
		if near := fault.Nearest(path.Base(m.Source), names); near != "" {
			return missing.Hinting("did you mean %s?", asWritten(path.Join(path.Dir(m.Source), near)))
		}
	}
	return missing
}
