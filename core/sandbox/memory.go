package sandbox

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// memory is a tree in memory: for tests, for --sandbox memory and for the
// attachments of a run.
type memory struct {
	mu   sync.RWMutex // protects every node of the tree
	root *node
}

// node is a file or a directory. The data of a file is replaced, never changed
// in place.
type node struct {
	entries map[string]*node // files of a directory by name; nil for a file
	data    []byte
	when    time.Time
	kept    func() (fs.File, error) // opens the data if it is with a Keeper; nil: it is in data
	size    int64                   // of the file that kept opens, in bytes
	perm    fs.FileMode             // permissions of the file that was moved here; 0: unknown
}

var (
	_ FS            = (*memory)(nil)
	_ fs.StatFS     = (*memory)(nil)
	_ fs.ReadDirFS  = (*memory)(nil)
	_ fs.ReadFileFS = (*memory)(nil)
	_ SubFS         = (*memory)(nil)
)

// Memory returns an empty tree in memory. Finding a name takes time
// proportional to its depth, listing a directory to the number of its entries.
func Memory() FS { return newMemory() }

func newMemory() *memory { return &memory{root: newDir()} }

func newDir() *node { return &node{entries: map[string]*node{}, when: time.Now()} }

func (n *node) isDir() bool { return n.entries != nil }

func perr(op, name string, err error) error { return &fs.PathError{Op: op, Path: Abs(name), Err: err} }

// find returns the node of a valid name. The caller holds mu.
func (m *memory) find(name string) (*node, error) {
	at := m.root
	if name == "." {
		return at, nil
	}
	for elem := range strings.SplitSeq(name, "/") {
		if !at.isDir() {
			return nil, ErrNotDir
		}
		next, ok := at.entries[elem]
		if !ok {
			return nil, fs.ErrNotExist
		}
		at = next
	}
	return at, nil
}

// look checks the name and returns its node, like find. Its error is an
// fs.PathError with op and name. The caller holds mu.
func (m *memory) look(op, name string) (*node, error) {
	if err := Valid(name); err != nil {
		return nil, perr(op, name, err)
	}
	n, err := m.find(name)
	if err != nil {
		return nil, perr(op, name, err)
	}
	return n, nil
}

// Open opens a file or directory for reading.
func (m *memory) Open(name string) (fs.File, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	n, err := m.look("open", name)
	if err != nil {
		return nil, err
	}
	if n.isDir() {
		return openDir(n.info(name), n.list()), nil
	}
	return n.open(name)
}

// open opens a file whose data is in the node or with a Keeper.
func (n *node) open(name string) (fs.File, error) {
	if n.kept == nil {
		return openBytes(n.info(name), n.data), nil
	}
	f, err := n.kept()
	if err != nil {
		return nil, perr("open", name, plain(err))
	}
	return keptFile{wrapped{f}, n.info(name)}, nil
}

// Stat describes a file or directory.
func (m *memory) Stat(name string) (fs.FileInfo, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	n, err := m.look("stat", name)
	if err != nil {
		return nil, err
	}
	return n.info(name), nil
}

// ReadDir lists a directory, sorted by name.
func (m *memory) ReadDir(name string) ([]fs.DirEntry, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	n, err := m.look("readdir", name)
	if err != nil {
		return nil, err
	}
	if !n.isDir() {
		return nil, perr("readdir", name, ErrNotDir)
	}
	return n.list(), nil
}

// ReadFile returns a copy of a file's bytes.
func (m *memory) ReadFile(name string) ([]byte, error) {
	m.mu.RLock()
	n, err := m.look("read", name)
	m.mu.RUnlock()
	if err != nil {
		return nil, err
	}
	switch {
	case n.isDir():
		return nil, perr("read", name, ErrIsDir)
	case n.kept != nil:
		f, err := n.open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return io.ReadAll(f)
	}
	return slices.Clone(n.data), nil
}

// WriteFile replaces a file and creates its parents.
func (m *memory) WriteFile(name string, data []byte) error {
	return m.put(name, &node{data: slices.Clone(data), when: time.Now()})
}

func (m *memory) put(name string, file *node) error {
	if err := ValidNew(name); err != nil {
		return perr("write", name, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch n, err := m.find(name); {
	case err == nil && n.isDir():
		return perr("write", name, ErrIsDir)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return perr("write", name, err)
	}
	dir, err := m.makeAll(path.Dir(name))
	if err != nil {
		return err
	}
	dir.entries[path.Base(name)] = file
	return nil
}

// makeAll returns a directory and creates it with its parents if necessary. The
// caller holds mu.
func (m *memory) makeAll(name string) (*node, error) {
	at := m.root
	if name == "." {
		return at, nil
	}
	for elem := range strings.SplitSeq(name, "/") {
		next, ok := at.entries[elem]
		if !ok {
			next = newDir()
			at.entries[elem] = next
		}
		if !next.isDir() {
			return nil, perr("mkdir", name, ErrNotDir)
		}
		at = next
	}
	return at, nil
}

// Remove deletes a file or an empty directory.
func (m *memory) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.look("remove", name)
	switch {
	case err != nil:
		return err
	case name == ".":
		return perr("remove", name, fs.ErrPermission)
	case len(n.entries) > 0:
		return perr("remove", name, ErrNotEmpty)
	}
	return m.unlink("remove", name)
}

// unlink removes a name from its directory. The caller holds mu.
func (m *memory) unlink(op, name string) error {
	dir, err := m.look(op, path.Dir(name))
	if err == nil {
		delete(dir.entries, path.Base(name))
	}
	return err
}

// Rename moves a file or directory and replaces an existing file.
func (m *memory) Rename(oldName, newName string) error {
	if err := ValidNew(newName); err != nil {
		return perr("rename", newName, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.look("rename", oldName)
	if err != nil {
		return err
	}
	there, err := m.find(newName)
	switch {
	case oldName == "." || newName == ".":
		return perr("rename", oldName, fs.ErrPermission)
	case oldName == newName:
		return nil
	case n.isDir() && Within(newName, oldName):
		return perr("rename", newName, ErrInvalid)
	case err == nil && (there.isDir() || n.isDir()):
		return perr("rename", newName, fs.ErrExist)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return perr("rename", newName, err)
	}
	dir, err := m.makeAll(path.Dir(newName))
	if err != nil {
		return err
	}
	if err := m.unlink("rename", oldName); err != nil {
		return err
	}
	dir.entries[path.Base(newName)] = n
	return nil
}

// Mkdir creates one directory; its parent must exist.
func (m *memory) Mkdir(name string, _ fs.FileMode) error {
	if err := ValidNew(name); err != nil {
		return perr("mkdir", name, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch _, err := m.find(name); {
	case err == nil:
		return perr("mkdir", name, fs.ErrExist)
	case !errors.Is(err, fs.ErrNotExist):
		return perr("mkdir", name, err)
	}
	dir, err := m.find(path.Dir(name))
	if err != nil {
		return perr("mkdir", name, err)
	}
	dir.entries[path.Base(name)] = newDir()
	return nil
}

// SubFS returns a directory as a tree of its own.
func (m *memory) SubFS(dir string) (FS, error) {
	info, err := m.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, perr("sub", dir, ErrNotDir)
	}
	if dir == "." {
		return m, nil
	}
	return &subtree{base: m, dir: dir}, nil
}

// list returns the entries of a directory, sorted by name. The caller holds the
// tree's mu.
func (n *node) list() []fs.DirEntry {
	out := make([]fs.DirEntry, 0, len(n.entries))
	for _, name := range slices.Sorted(maps.Keys(n.entries)) {
		out = append(out, fs.FileInfoToDirEntry(n.entries[name].info(name)))
	}
	return out
}

func (n *node) info(name string) fs.FileInfo {
	mode := fs.FileMode(0o644)
	if n.isDir() {
		mode = fs.ModeDir | 0o755
	}
	return Info{Base: path.Base(name), Bytes: int64(len(n.data)) + n.size, Perm: mode, When: n.when}
}
