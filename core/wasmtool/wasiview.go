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

// Limits of the files that one instance has open.
const (
	MaxHandles  = 128
	MaxFile     = 64 << 20  // bytes of one file
	MaxHeld     = 128 << 20 // bytes of all open files together
	maxFileName = 4096      // bytes of a path
	maxNamePart = 255       // bytes of one name in a path, as on most disks
)

// WASIView is the view of the run's sandbox that WASI gets, the same for every engine
// (SECURITY 6). Without a grant a module can open and stat the root and nothing else. A
// refusal is passed to Refuse, so that a module that fails because of it fails with
// that fault.
type WASIView struct {
	Files  sandbox.FS // nil: not granted
	Refuse func(*fault.Fault)
	times  map[string][2]int64 // by name: when it was accessed and modified, as the module set it
}

// NewWASIView returns the view of the files that are granted to one call.
func NewWASIView(files sandbox.FS, refuse func(*fault.Fault)) WASIView {
	return WASIView{Files: files, Refuse: refuse, times: map[string][2]int64{}}
}

// Name converts a WASI path to an io/fs name.
func (v WASIView) Name(p string) (string, Errno) {
	if len(p) > maxFileName {
		return "", ErrnoNameTooLong
	}
	p = path.Clean(strings.TrimSuffix(p, "/"))
	if v.Files == nil {
		if p == "." {
			return p, 0
		}
		return "", v.granted(p)
	}
	if !fs.ValidPath(p) {
		return "", ErrnoPermission
	}
	errno := v.Errno(sandbox.Valid(p))
	if strings.Contains(p, "\x00") {
		return "", ErrnoInvalid
	}
	for part := range strings.SplitSeq(p, "/") {
		if len(part) > maxNamePart {
			return "", ErrnoNameTooLong
		}
	}
	return p, errno
}

// granted fails with ErrnoAccess, and notes the refusal, if no files were granted.
func (v WASIView) granted(name string) Errno {
	if v.Files != nil {
		return 0
	}
	v.Refuse(fault.New(fault.Grant, "the module tried to open the file %s, and it was not granted files", Escape([]byte(sandbox.Abs(name)), 200)).
		Hinting("if it may see files, write fs: true or directories such as fs: {data: ro} for it in toolsets.custom.modules"))
	return ErrnoAccess
}

// Errno converts an error of the sandbox to a WASI error. It passes refusals of the
// sandbox to Refuse.
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

// fileSize returns a file's size in bytes, and 0 for a directory: the sizes of
// directories differ between file systems, and a page's storage has none.
func fileSize(info fs.FileInfo) int64 {
	if info.IsDir() {
		return 0
	}
	return info.Size()
}

// Info describes the file or directory at a name. Of a host's file an engine may show a
// module only FileSize, the kind and the time.
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

// Entries returns the entries of a directory.
func (v WASIView) Entries(name string) ([]fs.DirEntry, Errno) {
	if errno := v.granted(name); errno != 0 {
		return nil, errno
	}
	entries, err := fs.ReadDir(v.Files, name)
	return entries, v.Errno(err)
}

// CanWrite reports at the time of opening whether the file can be written, because the
// content is written only when the file is closed. isNew says that it does not exist yet.
func (v WASIView) CanWrite(name string, isNew bool) Errno {
	if isNew {
		if err := sandbox.ValidNew(name); err != nil {
			return v.Errno(err)
		}
	}
	return v.Errno(sandbox.CanWrite(v.Files, name))
}

// Mkdir makes one directory.
func (v WASIView) Mkdir(name string) Errno {
	if errno := v.granted(name); errno != 0 {
		return errno
	}
	errno := v.Errno(v.Files.Mkdir(name, 0o755))
	if errno == ErrnoNotDir { // as wazero has it
		errno = ErrnoNoEntry
	}
	return errno
}

// Rename moves a file or directory. slash says that one of the paths ended with a slash.
func (v WASIView) Rename(from, to string, slash bool) Errno {
	if errno := v.granted(from); errno != 0 {
		return errno
	}
	errno := v.rename(from, to, slash)
	if errno == 0 && from != to {
		v.moveTimes(from, to)
	}
	return errno
}

func (v WASIView) rename(from, to string, slash bool) Errno {
	source, errno := v.Info(from)
	if errno != 0 {
		return errno
	}
	old, missing := v.Info(to)
	switch {
	case from == to:
		return 0
	case from == ".":
		return ErrnoInvalid
	case slash && !source.IsDir():
		return ErrnoNotDir
	case sandbox.Within(from, to):
		return ErrnoNotEmpty
	case missing != 0:
		if errno := v.parent(to); errno != 0 {
			return errno
		}
	case old.IsDir() && !source.IsDir():
		return ErrnoIsDir
	case source.IsDir() && !old.IsDir():
		return ErrnoNotDir
	case old.IsDir() && sandbox.Within(to, from):
		return ErrnoInvalid
	case old.IsDir(): // an empty directory is replaced
		if errno := v.Remove(to, true); errno != 0 {
			return errno
		}
		if errno := v.Errno(v.Files.Rename(from, to)); errno != 0 {
			_ = v.Mkdir(to) // as it was; if that fails, too, the first error says more
			return errno
		}
		return 0
	}
	return v.Errno(v.Files.Rename(from, to))
}

// Remove removes a file, or an empty directory.
func (v WASIView) Remove(name string, dir bool) Errno {
	if errno := v.granted(name); errno != 0 {
		return errno
	}
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
	if errno := v.Errno(v.Files.Remove(name)); errno != 0 {
		return errno
	}
	v.ForgetTimes(name)
	return 0
}

// Inode returns a number that identifies a file name and is never 0.
func Inode(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64() | 1
}

// HeldTooMuch returns the fault for a module whose open files have more than MaxHeld
// bytes together.
func HeldTooMuch() *fault.Fault {
	return fault.New(fault.ToolMemory, "the files that the module has open are larger than %d MiB together", MaxHeld>>20).
		Hinting("change the module so that it closes files before it opens others")
}

// DescriptorTooLarge returns the fault for a module that moves a descriptor to a number that
// is not below MaxDescriptors.
func DescriptorTooLarge() *fault.Fault {
	return fault.New(fault.ToolMemory, "the module moved a descriptor to a number of %d or more", MaxDescriptors).
		Hinting("change the module so that it uses lower numbers (fd_renumber, dup2)")
}
