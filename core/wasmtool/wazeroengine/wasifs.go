package wazeroengine

import (
	"cmp"
	"io/fs"
	"strings"

	"github.com/tetratelabs/wazero/experimental/sys"
	wsys "github.com/tetratelabs/wazero/sys"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/wasmtool"
)

// wasiFS gives WASI the run's sandbox view. Files are read whole and written whole,
// atomically, when they are closed or synced; links are neither shown nor created.
// Without a grant a module can open and stat the root and nothing else (WASIView).
type wasiFS struct {
	sys.UnimplementedFS
	wasmtool.WASIView
	open      []*wasiContent // in the order of opening
	handles   int
	held      int64 // bytes of the open files' contents
	abandoned bool
}

var _ sys.FS = (*wasiFS)(nil)

func newWasiFS(files sandbox.FS, refuse func(*fault.Fault)) *wasiFS {
	return &wasiFS{WASIView: wasmtool.WASIView{Files: files, Refuse: refuse}}
}

// lend starts a call with the files that are granted to it. Files that an earlier call
// left open are read and written through them; without a grant they are marked as gone.
func (f *wasiFS) lend(files sandbox.FS) {
	if f.Files = files; files == nil {
		f.forget(".")
	}
}

// abandon drops all changes that are not written yet.
func (f *wasiFS) abandon() { f.abandoned = true }

// errnos maps WASI's errors to wazero's.
var errnos = map[wasmtool.Errno]sys.Errno{
	wasmtool.ErrnoAccess: sys.EACCES, wasmtool.ErrnoAgain: sys.EAGAIN, wasmtool.ErrnoExists: sys.EEXIST, wasmtool.ErrnoInvalid: sys.EINVAL, wasmtool.ErrnoIO: sys.EIO, wasmtool.ErrnoIsDir: sys.EISDIR,
	wasmtool.ErrnoNameTooLong: sys.ENAMETOOLONG, wasmtool.ErrnoNoEntry: sys.ENOENT, wasmtool.ErrnoNotDir: sys.ENOTDIR, wasmtool.ErrnoNotEmpty: sys.ENOTEMPTY, wasmtool.ErrnoPermission: sys.EPERM, wasmtool.ErrnoReadOnly: sys.EROFS,
}

func errnoOf(e wasmtool.Errno) sys.Errno {
	if own, ok := errnos[e]; ok || e == 0 {
		return own
	}
	return sys.EIO
}

// name converts a WASI path to an io/fs name. wazero joins a path and the name of an opened
// root as "/" + path; it has already refused absolute paths of the module.
func (f *wasiFS) name(p string) (string, sys.Errno) {
	name, errno := f.Name(strings.TrimPrefix(p, "/"))
	return name, errnoOf(errno)
}

func (f *wasiFS) errno(err error) sys.Errno { return errnoOf(f.Errno(err)) }

func (f *wasiFS) info(name string) (fs.FileInfo, sys.Errno) {
	info, errno := f.Info(name)
	return info, errnoOf(errno)
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

// Lstat does the same as Stat, because the sandbox shows no links.
func (f *wasiFS) Lstat(p string) (wsys.Stat_t, sys.Errno) { return f.Stat(p) }

// stat converts info. It takes only the size, the kind and the time from the host's file
// system.
func stat(name string, info fs.FileInfo) wsys.Stat_t {
	mode := fs.FileMode(0o600)
	if info.IsDir() {
		mode = fs.ModeDir | 0o700
	}
	at := info.ModTime().UnixNano()
	if info.ModTime().IsZero() {
		at = 0
	}
	return wsys.Stat_t{Dev: 1, Ino: wasmtool.Inode(name), Mode: mode, Nlink: 1, Size: wasmtool.FileSize(info), Atim: at, Mtim: at, Ctim: at}
}

const wasiWrites = sys.O_WRONLY | sys.O_RDWR | sys.O_APPEND | sys.O_CREAT | sys.O_TRUNC

// OpenFile opens a file or directory for reading, or, with any flag that could change
// something, a file for writing.
func (f *wasiFS) OpenFile(p string, flag sys.Oflag, _ fs.FileMode) (sys.File, sys.Errno) {
	name, errno := f.name(p)
	if errno != 0 {
		return nil, errno
	}
	if f.handles >= wasmtool.MaxHandles {
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
	return errnoOf(f.WASIView.Mkdir(name))
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
	if !dir && strings.HasSuffix(p, "/") { // only a directory may be named so
		if info, errno := f.info(name); errno != 0 || !info.IsDir() {
			return cmp.Or(errno, sys.ENOTDIR)
		}
	}
	if errno := f.Remove(name, dir); errno != 0 {
		return errnoOf(errno)
	}
	f.forget(name)
	return 0
}

// Readlink always fails, because there are no links.
func (f *wasiFS) Readlink(string) (string, sys.Errno) { return "", sys.EINVAL }
