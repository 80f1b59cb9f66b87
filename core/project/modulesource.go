package project

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/jstool"
	"golem/core/sandbox"
)

// Linker makes the module of a JavaScript or TypeScript source. entry is the path of the
// source from the root of its tree, and folder has the files of its directory and below it.
type Linker interface {
	Link(entry string, folder fs.FS) ([]byte, error)
}

// IsSource reports whether the module is a JavaScript or TypeScript source, which is linked
// when it is opened.
func (m Module) IsSource() bool { return config.IsToolSource(path.Base(m.Path)) }

// linkedModule links the module of a source, and compares it with golem.lock. A source that
// can only be imported is a fault with jstool.ErrNoTools in its chain.
func (ms *Modules) linkedModule(m Module) (fs.File, error) {
	if ms.setup.Linker == nil {
		return nil, fault.New(fault.Platform, "this platform cannot run JavaScript sources, and the project has %s", m.Path).
			Hinting("build it: golem tool build %s", m.Path).At(m.Path, 1, 1)
	}
	fsys, l, home := ms.fileOf(m)
	folder := &sourceFolder{modules: ms, fsys: fsys, root: Location{Tree: l.Tree, Name: path.Dir(l.Name)}, home: home}
	data, err := ms.setup.Linker.Link(l.Name, folder)
	if err != nil {
		f := *fault.Of(err, fault.ToolModule)
		if f.Where == nil || f.Where.File == "" {
			return nil, f.At(m.Path, 1, 1).Because(err)
		}
		return nil, f.At(folder.shown(strings.TrimPrefix(f.Where.File, folder.root.Name+"/")), max(f.Where.Line, 1), max(f.Where.Column, 1)).Because(err)
	}
	if ms.trees.TreeOf(l).Library == "" { // a library's files are compared one by one
		name := l.Name
		if home {
			name = m.Path
		}
		sum := sha256.Sum256(data)
		if f := ms.trees.Compare("", name, m.Path, hex.EncodeToString(sum[:])); f != nil {
			return nil, f
		}
	}
	return &pinnedFile{bytes.NewReader(data), linkedInfo{path.Base(l.Name), int64(len(data))}}, nil
}

// onlyImported reports whether a module is a source without tools.
func (ms *Modules) onlyImported(m Module) bool {
	if !m.IsSource() {
		return false
	}
	file, err := ms.Open(m)
	if err == nil {
		file.Close()
	}
	return errors.Is(err, jstool.ErrNoTools)
}

// Pinned compares a file that golem.lock may name with it: a module, a source or a
// description. missing is true if there is no such file.
func (ms *Modules) Pinned(name string) (missing bool, f *fault.Fault) {
	if !config.IsToolSource(path.Base(name)) {
		digest, f := digestOf(ms.setup.FS, name)
		if f != nil {
			return f.Code == fault.NotFound, nil
		}
		return false, ms.trees.Compare("", name, name, digest)
	}
	if !ms.trees.Exists(Location{Name: name}) {
		return true, nil
	}
	file, err := ms.Open(Module{Path: name})
	if err == nil {
		file.Close()
	}
	if errors.Is(err, fault.Lock) {
		return false, fault.Of(err, fault.Lock)
	}
	return false, nil // another fault is that of the worker which uses it
}

// sourceFolder is the directory of a source. Each file that is read is compared with
// golem.lock, and is from then on part of the project's definition.
type sourceFolder struct {
	modules *Modules
	fsys    fs.FS
	root    Location
	home    bool
}

// shown returns the path of a file as messages show it.
func (s *sourceFolder) shown(name string) string {
	name = path.Join(s.root.Name, name)
	if s.home {
		return config.HomePrefix + name
	}
	return s.root.In(name).String()
}

// Open reads a file. fs.ErrNotExist also stands for a directory.
func (s *sourceFolder) Open(name string) (fs.File, error) {
	t := s.modules.trees
	if s.home {
		return s.open(path.Join(s.root.Name, name), s.shown(name))
	}
	l := s.root.In(path.Join(s.root.Name, name))
	if !t.Exists(l) {
		t.defining(l.String()) // a file of this name would be used
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	data, f := t.read(l, jstool.MaxSources)
	if f != nil {
		return nil, f
	}
	return &pinnedFile{bytes.NewReader(data), linkedInfo{path.Base(name), int64(len(data))}}, nil
}

// open reads a file outside the project.
func (s *sourceFolder) open(name, shown string) (fs.File, error) {
	if s.fsys == nil {
		return nil, fs.ErrNotExist
	}
	if f := checkRegular(s.fsys, name); f != nil && f.Code == fault.NotFound {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	file, f := openRegular(s.fsys, name)
	if f != nil {
		return nil, f
	}
	s.modules.trees.opened.add(shown)
	s.modules.trees.defining(shown)
	return file, nil
}

// linkedInfo describes a file in memory.
type linkedInfo struct {
	name string
	size int64
}

// Name returns the file's name.
func (i linkedInfo) Name() string { return i.name }

// Size returns the file's length in bytes.
func (i linkedInfo) Size() int64 { return i.size }

// Mode returns the mode of a file that can only be read.
func (i linkedInfo) Mode() fs.FileMode { return 0o444 }

// ModTime returns no time.
func (i linkedInfo) ModTime() time.Time { return time.Time{} }

// IsDir returns false.
func (i linkedInfo) IsDir() bool { return false }

// Sys returns nothing.
func (i linkedInfo) Sys() any { return nil }

// outdated returns a warning for each module of a directory that was built from another state
// of the source beside it: golem runs the module.
func (ms *Modules) outdated(dir Location) fault.List {
	var out fault.List
	for _, name := range ms.wasmIn(dir) {
		out = append(out, ms.olderThanSource(name)...)
	}
	if dir.Name == "." {
		for _, root := range ms.toolRoots(dir) {
			for _, name := range ms.modulesIn(root) {
				out = append(out, ms.olderThanSource(name)...)
			}
		}
	}
	return out
}

// emptySources returns a warning for each source of a directory that exports no tools and that
// no other source there imports: whoever wrote it expects a tool.
func (ms *Modules) emptySources(dir Location) fault.List {
	if ms.setup.Linker == nil {
		return nil
	}
	imported := map[string]bool{}
	var empty []string
	for _, name := range ms.modulesIn(dir) {
		if !config.IsToolSource(path.Base(name)) {
			continue
		}
		file, err := ms.Open(Module{Path: name})
		if errors.Is(err, jstool.ErrNoTools) {
			empty = append(empty, name)
			continue
		}
		if err != nil {
			return nil // its own fault says why, and it may import the others
		}
		data, err := io.ReadAll(file)
		file.Close()
		if from := jstool.SourcesOf(data); err == nil && from != nil {
			for part := range from.Files {
				imported[path.Join(path.Dir(name), part)] = true
			}
		}
	}
	var out fault.List
	for _, name := range empty {
		if !imported[name] {
			out = append(out, fault.Warn(fault.ToolContract, "%s exports no tools, and no source beside it imports it", name).At(name, 1, 1).
				Hinting("above an exported function, write a comment with a line @param {TYPE} NAME for each argument, or write its types in TypeScript"))
		}
	}
	return out
}

func (ms *Modules) olderThanSource(name string) fault.List {
	stem, built := strings.CutSuffix(name, ".wasm")
	if !built {
		return nil
	}
	sources := ms.sourcesOf(stem)
	if len(sources) == 0 {
		return nil
	}
	l := ms.trees.Location(name)
	file, f := openRegular(ms.trees.TreeOf(l).FS, l.Name)
	if f != nil || ms.trees.TreeOf(l).leaves(l.Name) {
		return nil // to use it says why
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxPinned))
	if err != nil {
		return nil
	}
	from := jstool.SourcesOf(data)
	if from == nil || from.Fit(quietFolder{ms.trees, Location{Tree: l.Tree, Name: path.Dir(l.Name)}}) {
		return nil
	}
	return fault.List{fault.Warn(fault.ToolModule, "%s was built from an older state of %s, and golem runs %s", name, sources[0], name).
		At(sources[0], 1, 1).Hinting("build it again with golem tool build %s, or remove %s so that golem runs the source", sources[0], name)}
}

// sourcesOf returns the sources of a tool that golem could run, by the path without extension.
func (ms *Modules) sourcesOf(stem string) []string {
	var out []string
	for _, ext := range config.SourceExtensions {
		if config.IsToolSource(path.Base(stem+ext)) && ms.trees.Exists(ms.trees.Location(stem+ext)) {
			out = append(out, stem+ext)
		}
	}
	return out
}

// quietFolder reads files to compare them, without making them part of the definition.
type quietFolder struct {
	trees *Trees
	root  Location
}

// Open reads a file.
func (q quietFolder) Open(name string) (fs.File, error) {
	l := q.root.In(path.Join(q.root.Name, name))
	tree := q.trees.TreeOf(l)
	switch {
	case !q.trees.Exists(l):
		return nil, fs.ErrNotExist
	case tree.leaves(l.Name) || sandbox.Secret(l.Name):
		return nil, leavesFault()
	}
	file, f := openRegular(tree.FS, l.Name)
	if f != nil {
		return nil, f
	}
	return file, nil
}
