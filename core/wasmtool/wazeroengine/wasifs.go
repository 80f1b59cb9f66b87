package wazeroengine

import (
	"errors"
	"hash/fnv"
	"io/fs"
	"path"
	"strings"

	"github.com/tetratelabs/wazero/experimental/sys"
	wsys "github.com/tetratelabs/wazero/sys"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/wasmtool"
)

// wasiFS is the run's sandbox view as WASI sees it. Files are read whole and
// written whole, atomically, when they are closed or synced; links are neither
// shown nor made. Without a view every operation is refused, and the refusal
// is noted, so that a module that fails because of it fails with that fault.
type wasiFS struct {
	sys.UnimplementedFS
	files     sandbox.FS // nil: not granted
	refuse    func(*fault.Fault)
	open      []*wasiContent // in the order of opening
	handles   int
	held      int64 // bytes of the open files' contents
	abandoned bool
}

var _ sys.FS = (*wasiFS)(nil)

// Bounds of what one instance holds of files.
const (
	wasiHandles  = 128
	wasiFileSize = 64 << 20
	wasiName     = 4096 // bytes of a path
)

func newWasiFS(files sandbox.FS, refuse func(*fault.Fault)) *wasiFS {
	return &wasiFS{files: files, refuse: refuse}
}

// lend is the start of a call, with the view that is granted to it. Files that
// an earlier call left open are read and written through it; without one they
// are cut off.
func (f *wasiFS) lend(files sandbox.FS) {
	if f.files = files; files == nil {
		f.forget(".")
	}
}

// abandon drops what is not written yet.
func (f *wasiFS) abandon() { f.abandoned = true }

// name is a WASI path as an io/fs name.
func (f *wasiFS) name(p string) (string, sys.Errno) {
	if len(p) > wasiName {
		return "", sys.ENAMETOOLONG
	}
	p = path.Clean(strings.TrimSuffix(p, "/"))
	if f.files == nil {
		if p == "." {
			return p, 0
		}
		f.refuse(wasmtool.NoFiles(p))
		return "", sys.EACCES
	}
	if !fs.ValidPath(p) {
		return "", sys.EPERM
	}
	if err := sandbox.Valid(p); err != nil {
		return "", f.errno(err)
	}
	return p, 0
}

// errno is an error of the sandbox as a number; what it refuses is noted.
func (f *wasiFS) errno(err error) sys.Errno {
	var flt *fault.Fault
	if errors.As(err, &flt) {
		switch flt.Code {
		case fault.NotFound:
			return sys.ENOENT
		case fault.ReadOnly:
			f.refuse(flt)
			return sys.EROFS
		case fault.Quota:
			f.refuse(flt)
			return sys.EIO
		case fault.Path, fault.Protected, fault.Limit, fault.Escalation:
			f.refuse(flt)
			return sys.EPERM
		}
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, fs.ErrNotExist):
		return sys.ENOENT
	case errors.Is(err, fs.ErrExist):
		return sys.EEXIST
	case errors.Is(err, fs.ErrPermission):
		return sys.EACCES
	case errors.Is(err, fs.ErrInvalid):
		return sys.EINVAL
	}
	return sys.EIO
}

func (f *wasiFS) info(name string) (fs.FileInfo, sys.Errno) {
	if f.files == nil { // the root alone
		return sandbox.Info{Base: ".", Perm: fs.ModeDir | 0o555}, 0
	}
	info, err := fs.Stat(f.files, name)
	if err != nil {
		return nil, f.errno(err)
	}
	return info, 0
}

func (f *wasiFS) Stat(p string) (wsys.Stat_t, sys.Errno) {
	name, errno := f.name(p)
	if errno != 0 {
		return wsys.Stat_t{}, errno
	}
	info, errno := f.info(name)
	if errno != 0 {
		return wsys.Stat_t{}, errno
	}
	st := stat(name, info)
	if c := f.content(name); c != nil && c.loaded {
		st.Size = int64(len(c.data))
	}
	return st, 0
}

// Lstat is Stat: what a link leads to is what the sandbox shows.
func (f *wasiFS) Lstat(p string) (wsys.Stat_t, sys.Errno) { return f.Stat(p) }

// stat leaves out whatever the host's own file system says beyond size, kind
// and time.
func stat(name string, info fs.FileInfo) wsys.Stat_t {
	mode := fs.FileMode(0o600)
	if info.IsDir() {
		mode = fs.ModeDir | 0o700
	}
	at := info.ModTime().UnixNano()
	if info.ModTime().IsZero() {
		at = 0
	}
	return wsys.Stat_t{Dev: 1, Ino: inode(name), Mode: mode, Nlink: 1, Size: info.Size(), Atim: at, Mtim: at, Ctim: at}
}

func inode(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64() | 1
}

const wasiWrites = sys.O_WRONLY | sys.O_RDWR | sys.O_APPEND | sys.O_CREAT | sys.O_TRUNC

// OpenFile opens for reading, or, with any flag that could change something,
// for writing.
func (f *wasiFS) OpenFile(p string, flag sys.Oflag, _ fs.FileMode) (sys.File, sys.Errno) {
	name, errno := f.name(p)
	if errno != 0 {
		return nil, errno
	}
	if f.handles >= wasiHandles {
		return nil, sys.EAGAIN
	}
	info, errno := f.info(name)
	if errno != 0 && (errno != sys.ENOENT || flag&sys.O_CREAT == 0) {
		return nil, errno
	}
	if errno == 0 && info.IsDir() {
		if flag&(wasiWrites&^sys.O_RDWR) != 0 && name != "." {
			return nil, sys.EISDIR
		}
		f.handles++
		return &wasiDir{fs: f, name: name}, 0
	}
	if flag&sys.O_DIRECTORY != 0 {
		return nil, sys.ENOTDIR
	}
	h := &wasiFile{wasiContent: f.hold(name), app: flag&sys.O_APPEND != 0}
	if flag&wasiWrites != 0 {
		if errno := h.writable(errno == sys.ENOENT, flag); errno != 0 {
			h.release()
			return nil, errno
		}
	}
	return h, 0
}

// Mkdir makes one directory.
func (f *wasiFS) Mkdir(p string, _ fs.FileMode) sys.Errno {
	name, errno := f.name(p)
	if errno != 0 {
		return errno
	}
	return f.errno(f.files.Mkdir(name, 0o755))
}

// Rename moves a file or directory.
func (f *wasiFS) Rename(from, to string) sys.Errno {
	a, errno := f.name(from)
	if errno != 0 {
		return errno
	}
	b, errno := f.name(to)
	if errno != 0 {
		return errno
	}
	return f.move(a, b)
}

// Unlink removes a file.
func (f *wasiFS) Unlink(p string) sys.Errno { return f.remove(p, false) }

// Rmdir removes an empty directory.
func (f *wasiFS) Rmdir(p string) sys.Errno { return f.remove(p, true) }

func (f *wasiFS) remove(p string, dir bool) sys.Errno {
	name, errno := f.name(p)
	if errno != 0 {
		return errno
	}
	info, errno := f.info(name)
	switch {
	case errno != 0:
		return errno
	case dir && !info.IsDir():
		return sys.ENOTDIR
	case !dir && info.IsDir():
		return sys.EISDIR
	}
	if dir {
		if entries, err := fs.ReadDir(f.files, name); err == nil && len(entries) > 0 {
			return sys.ENOTEMPTY
		}
	}
	if errno := f.errno(f.files.Remove(name)); errno != 0 {
		return errno
	}
	f.forget(name)
	return 0
}

// Readlink finds no links.
func (f *wasiFS) Readlink(string) (string, sys.Errno) { return "", sys.EINVAL }
