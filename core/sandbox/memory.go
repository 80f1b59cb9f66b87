package sandbox

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// memory is a tree held in memory: for tests, for --sandbox memory, and for
// what a run is handed (attachments).
type memory struct {
	mu    sync.RWMutex
	nodes map[string]*node // by io/fs name; "." is the root
}

// node is a file or a directory. A file's data is replaced, never changed.
type node struct {
	dir  bool
	data []byte
	when time.Time
}

var (
	_ FS            = (*memory)(nil)
	_ fs.StatFS     = (*memory)(nil)
	_ fs.ReadDirFS  = (*memory)(nil)
	_ fs.ReadFileFS = (*memory)(nil)
	_ SubFS         = (*memory)(nil)
)

// Memory makes an empty tree in memory.
func Memory() FS {
	return &memory{nodes: map[string]*node{".": {dir: true, when: time.Now()}}}
}

func perr(op, name string, err error) error { return &fs.PathError{Op: op, Path: Abs(name), Err: err} }

// Open opens a file or directory for reading.
func (m *memory) Open(name string) (fs.File, error) {
	if err := Valid(name); err != nil {
		return nil, perr("open", name, err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	n, ok := m.nodes[name]
	if !ok {
		return nil, perr("open", name, fs.ErrNotExist)
	}
	f := &memFile{info: n.info(name)}
	if n.dir {
		return &memDir{memFile: f, entries: m.list(name)}, nil
	}
	f.Reader = bytes.NewReader(n.data)
	return f, nil
}

// Stat describes a file or directory.
func (m *memory) Stat(name string) (fs.FileInfo, error) {
	if err := Valid(name); err != nil {
		return nil, perr("stat", name, err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	n, ok := m.nodes[name]
	if !ok {
		return nil, perr("stat", name, fs.ErrNotExist)
	}
	return n.info(name), nil
}

// ReadDir lists a directory, sorted by name.
func (m *memory) ReadDir(name string) ([]fs.DirEntry, error) {
	info, err := m.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, perr("readdir", name, errNotDir)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.list(name), nil
}

// ReadFile returns a copy of a file's bytes.
func (m *memory) ReadFile(name string) ([]byte, error) {
	if err := Valid(name); err != nil {
		return nil, perr("read", name, err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	n, ok := m.nodes[name]
	switch {
	case !ok:
		return nil, perr("read", name, fs.ErrNotExist)
	case n.dir:
		return nil, perr("read", name, errIsDir)
	}
	return slices.Clone(n.data), nil
}

// WriteFile replaces a file, making its parents.
func (m *memory) WriteFile(name string, data []byte) error {
	if err := ValidNew(name); err != nil {
		return perr("write", name, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if n, ok := m.nodes[name]; ok && n.dir {
		return perr("write", name, errIsDir)
	}
	if err := m.parents(name); err != nil {
		return err
	}
	m.nodes[name] = &node{data: slices.Clone(data), when: time.Now()}
	return nil
}

// parents makes the directories above name. The caller holds mu.
func (m *memory) parents(name string) error {
	dir := path.Dir(name)
	if n, ok := m.nodes[dir]; ok {
		if !n.dir {
			return perr("mkdir", dir, errNotDir)
		}
		return nil
	}
	if err := m.parents(dir); err != nil {
		return err
	}
	m.nodes[dir] = &node{dir: true, when: time.Now()}
	return nil
}

// Remove deletes a file or an empty directory.
func (m *memory) Remove(name string) error {
	if err := Valid(name); err != nil {
		return perr("remove", name, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.nodes[name]
	switch {
	case name == ".":
		return perr("remove", name, fs.ErrPermission)
	case !ok:
		return perr("remove", name, fs.ErrNotExist)
	case n.dir && len(m.list(name)) > 0:
		return perr("remove", name, errNotEmpty)
	}
	delete(m.nodes, name)
	return nil
}

// Rename moves a file or directory, replacing a file that is there.
func (m *memory) Rename(oldName, newName string) error {
	if err := Valid(oldName); err != nil {
		return perr("rename", oldName, err)
	}
	if err := ValidNew(newName); err != nil {
		return perr("rename", newName, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.nodes[oldName]
	switch {
	case !ok:
		return perr("rename", oldName, fs.ErrNotExist)
	case oldName == "." || newName == ".":
		return perr("rename", oldName, fs.ErrPermission)
	case oldName == newName:
		return nil
	case n.dir && Within(newName, oldName):
		return perr("rename", newName, fs.ErrInvalid)
	}
	if old, ok := m.nodes[newName]; ok && (old.dir || n.dir) {
		return perr("rename", newName, fs.ErrExist)
	}
	if err := m.parents(newName); err != nil {
		return err
	}
	moved := map[string]*node{}
	for k, v := range m.nodes {
		if Within(k, oldName) {
			delete(m.nodes, k)
			moved[join(newName, below(k, oldName))] = v
		}
	}
	for k, v := range moved {
		m.nodes[k] = v
	}
	return nil
}

// Mkdir makes one directory below an existing one.
func (m *memory) Mkdir(name string, _ fs.FileMode) error {
	if err := ValidNew(name); err != nil {
		return perr("mkdir", name, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.nodes[name]; ok {
		return perr("mkdir", name, fs.ErrExist)
	}
	if n, ok := m.nodes[path.Dir(name)]; !ok || !n.dir {
		return perr("mkdir", path.Dir(name), fs.ErrNotExist)
	}
	m.nodes[name] = &node{dir: true, when: time.Now()}
	return nil
}

// SubFS is a directory as a tree of its own.
func (m *memory) SubFS(dir string) (FS, error) {
	info, err := m.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, perr("sub", dir, errNotDir)
	}
	if dir == "." {
		return m, nil
	}
	return &subtree{base: m, dir: dir}, nil
}

// list is a directory's entries. The caller holds mu.
func (m *memory) list(dir string) []fs.DirEntry {
	var out []fs.DirEntry
	for name, n := range m.nodes {
		if name != "." && path.Dir(name) == dir {
			out = append(out, fs.FileInfoToDirEntry(n.info(name)))
		}
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out
}

func (n *node) info(name string) fs.FileInfo {
	mode := fs.FileMode(0o644)
	if n.dir {
		mode = fs.ModeDir | 0o755
	}
	return Info{Base: path.Base(name), Bytes: int64(len(n.data)), Perm: mode, When: n.when}
}

// memFile is an open file: it reads the bytes it was opened on.
type memFile struct {
	info fs.FileInfo
	*bytes.Reader
}

func (f *memFile) Stat() (fs.FileInfo, error) { return f.info, nil }

// Close frees nothing.
func (f *memFile) Close() error { return nil }

// memDir is an open directory.
type memDir struct {
	*memFile
	entries []fs.DirEntry
	at      string
}

// Place is where the directory lies in its tree; "" if that is not known.
func (d *memDir) Place() string { return d.at }

// Read fails: a directory has no bytes.
func (d *memDir) Read([]byte) (int, error) { return 0, perr("read", d.info.Name(), errIsDir) }

// ReadDir gives the next n entries, or all that are left.
func (d *memDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		out := d.entries
		d.entries = nil
		return out, nil
	}
	if len(d.entries) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.entries))
	out := d.entries[:n:n]
	d.entries = d.entries[n:]
	return out, nil
}
