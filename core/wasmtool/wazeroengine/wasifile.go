package wazeroengine

import (
	"io"
	"io/fs"
	"path"

	"github.com/tetratelabs/wazero/experimental/sys"
	wsys "github.com/tetratelabs/wazero/sys"

	"golem/core/wasmtool"
)

// wasiFile is one handle of an open file.
type wasiFile struct {
	sys.UnimplementedFile
	*wasiContent
	read, write bool
	app         bool
	nonblock    bool
	pos         int64
	closed      bool
}

var _ sys.PollableFile = (*wasiFile)(nil)

// empty removes what the file contains. A new file is made now, so that others see it.
func (h *wasiFile) empty(isNew bool) sys.Errno {
	if errno := h.resize(0); errno != 0 { // unreachable: size 0 is always allowed
		return errno
	}
	h.loaded, h.dirty = true, true
	if isNew {
		return h.commit()
	}
	return 0
}

func (h *wasiFile) Dev() (uint64, sys.Errno) { return 1, 0 }

func (h *wasiFile) Ino() (uint64, sys.Errno) { return wasmtool.Inode(h.name), 0 }

func (h *wasiFile) IsDir() (bool, sys.Errno) { return false, 0 }

func (h *wasiFile) IsAppend() bool { return h.app }

func (h *wasiFile) SetAppend(on bool) sys.Errno {
	h.app = on
	return 0
}

// IsNonblock and SetNonblock keep the flag that a program sets; no file here ever blocks.
func (h *wasiFile) IsNonblock() bool { return h.nonblock }

func (h *wasiFile) SetNonblock(on bool) sys.Errno {
	h.nonblock = on
	return 0
}

func (h *wasiFile) Poll(sys.Pflag, int32) (bool, sys.Errno) { return true, 0 }

func (h *wasiFile) Stat() (wsys.Stat_t, sys.Errno) {
	if h.closed {
		return wsys.Stat_t{}, sys.EBADF
	}
	if h.gone {
		return stat(h.name, wasmtool.WASIStat{Size: int64(len(h.data))}), 0
	}
	st, errno := h.fs.WASIView.Stat(h.name, false)
	if errno != 0 {
		return wsys.Stat_t{}, errnoOf(errno)
	}
	if h.loaded {
		st.Size = int64(len(h.data))
	}
	return stat(h.name, st), 0
}

func (h *wasiFile) Read(b []byte) (int, sys.Errno) {
	n, errno := h.Pread(b, h.pos)
	h.pos += int64(n)
	return n, errno
}

func (h *wasiFile) Pread(b []byte, off int64) (int, sys.Errno) {
	if !h.read {
		return 0, sys.EBADF
	}
	if errno := h.load(); errno != 0 {
		return 0, errno
	}
	if off < 0 {
		return 0, sys.EINVAL
	}
	if off >= int64(len(h.data)) {
		return 0, 0
	}
	return copy(b, h.data[off:]), 0
}

// seekOffset is int64 under another name. wazero's Seek returns an Errno, and with plain
// int64 go vet would take it for a wrong io.Seeker.
type seekOffset = int64

func (h *wasiFile) Seek(offset seekOffset, whence int) (int64, sys.Errno) {
	if h.closed {
		return 0, sys.EBADF
	}
	if errno := h.load(); errno != 0 {
		return 0, errno
	}
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += h.pos
	case io.SeekEnd:
		offset += int64(len(h.data))
	default:
		return 0, sys.EINVAL
	}
	if offset < 0 {
		return 0, sys.EINVAL
	}
	h.pos = offset
	return offset, 0
}

func (h *wasiFile) Write(b []byte) (int, sys.Errno) {
	if len(b) == 0 {
		return 0, 0
	}
	if !h.write {
		return 0, sys.EBADF
	}
	if errno := h.load(); errno != 0 {
		return 0, errno
	}
	if h.app {
		h.pos = int64(len(h.data))
	}
	n, errno := h.Pwrite(b, h.pos)
	h.pos += int64(n)
	return n, errno
}

func (h *wasiFile) Pwrite(b []byte, off int64) (int, sys.Errno) {
	if !h.write {
		return 0, sys.EBADF
	}
	if errno := h.load(); errno != 0 {
		return 0, errno
	}
	if off < 0 || off > wasmtool.MaxFile || off+int64(len(b)) > wasmtool.MaxFile {
		return 0, sys.EINVAL
	}
	if end := off + int64(len(b)); end > int64(len(h.data)) {
		if errno := h.resize(end); errno != 0 {
			return 0, errno
		}
	}
	h.dirty = true
	return copy(h.data[off:], b), 0
}

func (h *wasiFile) Truncate(size int64) sys.Errno {
	if !h.write {
		return sys.EINVAL
	}
	if errno := h.load(); errno != 0 {
		return errno
	}
	if size < 0 || size > wasmtool.MaxFile {
		return sys.EINVAL
	}
	if errno := h.resize(size); errno != 0 {
		return errno
	}
	h.dirty = true
	return 0
}

func (h *wasiFile) Sync() sys.Errno { return h.commit() }

func (h *wasiFile) Datasync() sys.Errno { return h.commit() }

func (h *wasiFile) Utimens(atim, mtim int64) sys.Errno {
	if h.gone {
		return 0
	}
	return h.fs.Utimens(h.name, atim, mtim)
}

func (h *wasiFile) Close() sys.Errno {
	if h.closed {
		return 0
	}
	h.closed, h.read, h.write = true, false, false
	errno := h.commit()
	h.release()
	return errno
}

// wasiDir is an open directory. Its entries are read again each time that it is read from
// the beginning.
type wasiDir struct {
	sys.DirFile
	fs      *wasiFS
	name    string
	entries []sys.Dirent
	read    bool
	closed  bool
}

func (d *wasiDir) Dev() (uint64, sys.Errno) { return 1, 0 }

func (d *wasiDir) Ino() (uint64, sys.Errno) { return wasmtool.Inode(d.name), 0 }

func (d *wasiDir) Stat() (wsys.Stat_t, sys.Errno) {
	return stat(d.name, d.fs.StatDirectory(d.name)), 0
}

func (d *wasiDir) Utimens(atim, mtim int64) sys.Errno { return d.fs.Utimens(d.name, atim, mtim) }

func (d *wasiDir) Seek(offset seekOffset, whence int) (int64, sys.Errno) {
	if offset != 0 || whence != io.SeekStart {
		return 0, sys.EINVAL
	}
	d.read, d.entries = false, nil
	return 0, 0
}

func (d *wasiDir) Readdir(n int) ([]sys.Dirent, sys.Errno) {
	if !d.read {
		entries, errno := d.fs.Entries(d.name)
		if errno != 0 {
			return nil, errnoOf(errno)
		}
		for _, e := range entries {
			d.entries = append(d.entries, sys.Dirent{Name: e.Name(), Ino: wasmtool.Inode(path.Join(d.name, e.Name())), Type: e.Type() & fs.ModeDir})
		}
		d.read = true
	}
	if n <= 0 || n > len(d.entries) {
		n = len(d.entries)
	}
	out := d.entries[:n]
	d.entries = d.entries[n:]
	return out, 0
}

func (d *wasiDir) Sync() sys.Errno { return 0 }

func (d *wasiDir) Datasync() sys.Errno { return 0 }

func (d *wasiDir) Close() sys.Errno {
	if !d.closed {
		d.closed = true
		d.fs.handles--
	}
	return 0
}
