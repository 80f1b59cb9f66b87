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
	return &wasiFS{WASIView: wasmtool.NewWASIView(files, refuse)}
}

// lend starts a call with the files that are granted to it. Files that an earlier call
// left open are read and written through them; without a grant they are marked as gone.
func (f *wasiFS) lend(files sandbox.FS) {
	f.ForgetTimes(".")
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

// slashed reports whether a path ends with a slash: only a directory may be named so.
func slashed(p string) bool { return strings.HasSuffix(p, "/") && p != "/" }

func (f *wasiFS) Stat(p string) (wsys.Stat_t, sys.Errno) {
	name, errno := f.name(p)
	if errno != 0 {
		return wsys.Stat_t{}, errno
	}
	st, e := f.WASIView.Stat(name, slashed(p))
	if e != 0 {
		return wsys.Stat_t{}, errnoOf(e)
	}
	if c := f.content(name); c != nil && c.loaded {
		st.Size = int64(len(c.data))
	}
	return stat(name, st), 0
}

// Lstat does the same as Stat, because the sandbox shows no links.
func (f *wasiFS) Lstat(p string) (wsys.Stat_t, sys.Errno) { return f.Stat(p) }

func stat(name string, st wasmtool.WASIStat) wsys.Stat_t {
	mode := fs.FileMode(0o600)
	if st.Dir {
		mode = fs.ModeDir | 0o700
	}
	return wsys.Stat_t{Dev: 1, Ino: wasmtool.Inode(name), Mode: mode, Nlink: 1, Size: st.Size, Atim: st.Accessed, Mtim: st.Modified, Ctim: st.Modified}
}

// OpenFile opens a directory, or a file for reading, writing or both. A new file exists at
// once, so that others see it.
func (f *wasiFS) OpenFile(p string, flag sys.Oflag, _ fs.FileMode) (sys.File, sys.Errno) {
	name, errno := f.name(p)
	if errno != 0 {
		return nil, errno
	}
	if f.handles >= wasmtool.MaxHandles {
		return nil, sys.EAGAIN
	}
	o := wasmtool.WASIOpening{
		Directory: flag&sys.O_DIRECTORY != 0, Create: flag&sys.O_CREAT != 0, Exclusive: flag&sys.O_EXCL != 0, Truncate: flag&sys.O_TRUNC != 0,
		Read: flag&sys.O_WRONLY == 0, Write: flag&(sys.O_WRONLY|sys.O_RDWR) != 0, Slash: slashed(p),
	}
	opened, e := f.Open(name, o)
	if e != 0 {
		return nil, errnoOf(e)
	}
	if opened.Dir {
		f.handles++
		return &wasiDir{fs: f, name: name}, 0
	}
	h := &wasiFile{wasiContent: f.addHandle(name), read: o.Read, write: o.Write, app: flag&sys.O_APPEND != 0, nonblock: flag&sys.O_NONBLOCK != 0}
	if opened.New || o.Truncate {
		if errno := h.empty(opened.New); errno != 0 {
			h.release()
			return nil, errno
		}
	}
	return h, 0
}

// Utimens sets the times that the module sees of a file. Changes are written first.
func (f *wasiFS) Utimens(p string, atim, mtim int64) sys.Errno {
	name, errno := f.name(p)
	if errno != 0 {
		return errno
	}
	if c := f.content(name); c != nil {
		if errno := c.commit(); errno != 0 {
			return errno
		}
	}
	return errnoOf(f.SetTimes(name, slashed(p), atim, mtim))
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
	return f.move(a, b, slashed(from) || slashed(to))
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
	if _, errno := f.WASIView.Stat(name, !dir && slashed(p)); errno != 0 {
		return errnoOf(errno)
	}
	if errno := f.Remove(name, dir); errno != 0 {
		return errnoOf(errno)
	}
	f.forget(name)
	return 0
}

// Readlink always fails, because there are no links.
func (f *wasiFS) Readlink(p string) (string, sys.Errno) {
	_, errno := f.Stat(p)
	return "", cmp.Or(errno, sys.EINVAL)
}
