package wasmtool

import (
	"errors"
	"hash/fnv"
	"io/fs"
	"path"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
)

// Errno is an error of WASI preview 1; 0 is none.
type Errno uint16

// The errors that files cause.
const (
	ErrnoAccess      Errno = 2
	ErrnoAgain       Errno = 6
	ErrnoExists      Errno = 20
	ErrnoInvalid     Errno = 28
	ErrnoIO          Errno = 29
	ErrnoIsDir       Errno = 31
	ErrnoNameTooLong Errno = 37
	ErrnoNoEntry     Errno = 44
	ErrnoNotDir      Errno = 54
	ErrnoNotEmpty    Errno = 55
	ErrnoPermission  Errno = 63
	ErrnoReadOnly    Errno = 69
)

// Bounds of what one instance holds of files.
const (
	MaxHandles  = 128
	MaxFile     = 64 << 20  // bytes of one file
	MaxHeld     = 128 << 20 // bytes of all open files together
	maxFileName = 4096      // bytes of a path
)

// WASIView is the run's sandbox as WASI sees it, alike for every engine
// (SECURITY 6). Without a grant every operation but a look at the root is
// refused, and the refusal is noted, so that a module that fails because of it
// fails with that fault.
type WASIView struct {
	Files  sandbox.FS // nil: not granted
	Refuse func(*fault.Fault)
}

// Name is a WASI path as an io/fs name.
func (v WASIView) Name(p string) (string, Errno) {
	if len(p) > maxFileName {
		return "", ErrnoNameTooLong
	}
	p = path.Clean(strings.TrimSuffix(p, "/"))
	if v.Files == nil {
		if p == "." {
			return p, 0
		}
		v.Refuse(fault.New(fault.Grant, "the module tried to open the file %s, and it was not granted files", Escape([]byte(sandbox.Abs(p)), 200)).
			Hinting("if it may see files, write fs: true or directories such as fs: {data: ro} for it in toolsets.custom.modules"))
		return "", ErrnoAccess
	}
	if !fs.ValidPath(p) {
		return "", ErrnoPermission
	}
	return p, v.Errno(sandbox.Valid(p))
}

// Errno is an error of the sandbox as a number; what the sandbox refuses is
// noted.
func (v WASIView) Errno(err error) Errno {
	var f *fault.Fault
	if errors.As(err, &f) {
		switch f.Code {
		case fault.NotFound:
			return ErrnoNoEntry
		case fault.ReadOnly:
			v.Refuse(f)
			return ErrnoReadOnly
		case fault.Quota:
			v.Refuse(f)
			return ErrnoIO
		case fault.Path, fault.Protected, fault.Limit, fault.Escalation:
			v.Refuse(f)
			return ErrnoPermission
		}
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, fs.ErrNotExist):
		return ErrnoNoEntry
	case errors.Is(err, fs.ErrExist):
		return ErrnoExists
	case errors.Is(err, sandbox.ErrNotDir):
		return ErrnoNotDir
	case errors.Is(err, sandbox.ErrIsDir):
		return ErrnoIsDir
	case errors.Is(err, sandbox.ErrNotEmpty):
		return ErrnoNotEmpty
	case errors.Is(err, fs.ErrPermission):
		return ErrnoAccess
	case errors.Is(err, fs.ErrInvalid):
		return ErrnoInvalid
	}
	return ErrnoIO
}

// FileSize is a file's size in bytes. A directory has none: what a disk says
// of one is different from disk to disk, and a page's storage says nothing.
func FileSize(info fs.FileInfo) int64 {
	if info.IsDir() {
		return 0
	}
	return info.Size()
}

// Info is what stands at a name; of the host it tells FileSize, kind and time.
func (v WASIView) Info(name string) (fs.FileInfo, Errno) {
	if v.Files == nil { // the root alone
		return sandbox.Info{Base: ".", Perm: fs.ModeDir | 0o555}, 0
	}
	info, err := fs.Stat(v.Files, name)
	if err != nil {
		return nil, v.Errno(err)
	}
	return info, 0
}

// Entries are a directory's.
func (v WASIView) Entries(name string) ([]fs.DirEntry, Errno) {
	if v.Files == nil {
		_, errno := v.Name("any")
		return nil, errno
	}
	entries, err := fs.ReadDir(v.Files, name)
	return entries, v.Errno(err)
}

// CanWrite asks the sandbox before there is something to write, not at the end.
func (v WASIView) CanWrite(name string, isNew bool) Errno {
	if isNew {
		if err := sandbox.ValidNew(name); err != nil {
			return v.Errno(err)
		}
	}
	return v.Errno(sandbox.CanWrite(v.Files, name))
}

// Remove removes a file, or an empty directory.
func (v WASIView) Remove(name string, dir bool) Errno {
	info, errno := v.Info(name)
	switch {
	case errno != 0:
		return errno
	case dir && !info.IsDir():
		return ErrnoNotDir
	case !dir && info.IsDir():
		return ErrnoIsDir
	}
	if dir {
		if entries, err := fs.ReadDir(v.Files, name); err == nil && len(entries) > 0 {
			return ErrnoNotEmpty
		}
	}
	return v.Errno(v.Files.Remove(name))
}

// Inode names a file by a number that is never 0.
func Inode(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64() | 1
}

// HeldTooMuch is what a module is told that holds more than MaxHeld.
func HeldTooMuch() *fault.Fault {
	return fault.New(fault.ToolMemory, "the files that the module has open are larger than %d MiB together", MaxHeld>>20).
		Hinting("change the module so that it closes files before it opens others")
}
