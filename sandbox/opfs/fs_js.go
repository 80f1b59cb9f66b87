package opfs

import (
	"io/fs"
	"path"
	"strings"
	"syscall/js"
	"time"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sorting"
)

// FS is a directory of the browser's own file system (OPFS). It is safe for
// concurrent use; changes happen one after the other. Directories have no
// modification times.
type FS struct {
	tree   js.Value
	bridge *bridge
	source string
	direct bool         // JavaScript can use Go's memory directly
	filled bool         // see Filling
	next   func() error // see Telling; nil: none
}

var (
	_ sandbox.FS    = (*FS)(nil)
	_ sandbox.SubFS = (*FS)(nil)
	_ fs.StatFS     = (*FS)(nil)
	_ fs.ReadDirFS  = (*FS)(nil)
	_ fs.ReadFileFS = (*FS)(nil)

	_ sandbox.HackpadFS = (*FS)(nil)
)

// maxWhole is the largest file that ReadFile reads, in bytes.
const maxWhole = 1 << 30

// Open returns an FS for a FileSystemDirectoryHandle. source is where the
// directory is, as an absolute slash path, for comparing mounts. Open removes
// unfinished writes of tabs and web workers that have ended. It returns
// E_PLATFORM if Script has not run.
func Open(directory js.Value, source string) (*FS, error) {
	trees, memory := js.Global().Get("golemOPFS"), js.Global().Get("golemMemory")
	if trees.Type() != js.TypeFunction {
		return nil, fault.New(fault.Platform, "the web worker has not run opfs.Script")
	}
	b := newBridge()
	f := &FS{tree: trees.Invoke(directory, b.done, memory), bridge: b, direct: memory.Truthy(), source: source}
	if a := b.call(f.tree, "sweep"); a.failure != "" {
		return nil, f.failed("open", ".", a)
	}
	return f, nil
}

// Source returns where the directory is, as given to Open. Use it only to compare,
// never in messages.
func (f *FS) Source() string { return f.source }

// SubFS opens a directory as a nested handle.
func (f *FS) SubFS(dir string) (sandbox.FS, error) {
	if err := readable(dir); err != nil {
		return nil, failed("sub", dir, err)
	}
	a := f.bridge.call(f.tree, "sub", dir)
	if a.failure != "" {
		return nil, f.failed("sub", dir, a)
	}
	return &FS{tree: a.value, bridge: f.bridge, direct: f.direct, filled: f.filled, source: path.Join(f.source, dir)}, nil
}

// Open opens a file or directory for reading. The content of a small file is
// read at once. A big file is read piece by piece, and reading fails with
// E_CONFLICT if the file changes meanwhile.
func (f *FS) Open(name string) (fs.File, error) {
	if err := readable(name); err != nil {
		return nil, failed("open", name, err)
	}
	a := f.bridge.call(f.tree, "open", name)
	if a.failure != "" {
		return nil, f.failed("open", name, a)
	}
	file := &file{fs: f, name: name, info: info(name, a.value)}
	if file.info.IsDir() {
		return &dir{file: file, rest: f.entries(name, a.value.Index(3).String())}, nil
	}
	file.blob, file.window = a.value.Index(3), bytesOf(a.value.Index(4))
	return file, nil
}

// ReadFile reads a whole file, of at most 1 GiB.
func (f *FS) ReadFile(name string) ([]byte, error) {
	if err := readable(name); err != nil {
		return nil, failed("read", name, err)
	}
	for try := 1; ; try++ {
		data, a := f.read(name)
		if a.failure == "" {
			return data, nil
		}
		if a.failure != "NotReadableError" || try == maxTries {
			return nil, f.failed("read", name, a)
		}
	}
}

// maxTries is how often ReadFile reads a file that changes while it is read.
const maxTries = 10

// read reads a file once. A big file is read directly into Go's memory.
func (f *FS) read(name string) ([]byte, answer) {
	a := f.bridge.call(f.tree, "read", name, maxWhole)
	if a.failure != "" {
		return nil, a
	}
	if small := a.value.Index(0); !small.IsNull() {
		return bytesOf(small), a
	}
	data := make([]byte, int(a.value.Index(1).Float()))
	return data, f.bridge.call(f.tree, "fill", a.value.Index(2), a.value.Index(3), address(data))
}

// Stat describes a file or directory.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	if err := readable(name); err != nil {
		return nil, failed("stat", name, err)
	}
	a := f.bridge.call(f.tree, "stat", name)
	if a.failure != "" {
		return nil, f.failed("stat", name, a)
	}
	return info(name, a.value), nil
}

// ReadDir lists a directory, sorted by name. It leaves out unfinished writes.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := readable(name); err != nil {
		return nil, failed("readdir", name, err)
	}
	a := f.bridge.call(f.tree, "list", name)
	if a.failure != "" {
		return nil, f.failed("readdir", name, a)
	}
	return f.entries(name, a.value.String()), nil
}

// Walk returns everything below a directory as a sorted array of {path, dir, size,
// modified}; size is in bytes, modified in ms since 1970. most is the largest number of
// entries. skip lists the names, separated by "/", that are left out at the top of the
// directory. Walk is faster than ReadDir and Stat, because it is one call of JavaScript.
func (f *FS) Walk(dir, skip string, most int) (js.Value, error) {
	if err := readable(dir); err != nil {
		return js.Undefined(), failed("walk", dir, err)
	}
	a := f.bridge.call(f.tree, "walk", dir, skip, most)
	if a.failure != "" {
		return js.Undefined(), f.failed("walk", dir, a)
	}
	return a.value, nil
}

// entries parses a listing, which has "f" or "d", the name and "/" for each entry.
func (f *FS) entries(dir, listing string) []fs.DirEntry {
	out := make([]fs.DirEntry, 0, strings.Count(listing, "/"))
	for item := range strings.SplitSeq(listing, "/") {
		if item == "" || sandbox.Valid(item[1:]) != nil {
			continue
		}
		out = append(out, entry{f, dir, item[1:], item[0] == 'd'})
	}
	sorting.By(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out
}

// info converts [kind, size, time] of reads.js into an Info.
func info(name string, v js.Value) sandbox.Info {
	i := sandbox.Info{Base: path.Base(name), Perm: fs.ModeDir | 0o755}
	if v.Index(0).String() == "f" {
		i.Perm, i.Bytes, i.When = 0o644, int64(v.Index(1).Float()), time.UnixMilli(int64(v.Index(2).Float()))
	}
	return i
}
