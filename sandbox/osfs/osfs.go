// Package osfs is the sandbox on a real disk. Each tree is an os.Root and each
// restriction a nested one, so that neither symbolic links nor race conditions
// lead outside (SECURITY 2). It opens only regular files and directories,
// follows links for reading, refuses them for writing and never creates them.
// Writes are atomic.
package osfs

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golem/core/fault"
	"golem/core/sandbox"
)

// FS is a directory of the host. It is safe for concurrent use. Close releases
// its handle; nested trees have handles of their own.
type FS struct {
	root   *os.Root
	source string   // real path, with slashes
	swept  sync.Map // directories that were cleaned up, see sweepOnce
}

var (
	_ sandbox.FS         = (*FS)(nil)
	_ sandbox.SubFS      = (*FS)(nil)
	_ sandbox.Identifier = (*FS)(nil)
	_ sandbox.Resolver   = (*FS)(nil)
	_ sandbox.Permitting = (*FS)(nil)
	_ fs.StatFS          = (*FS)(nil)
	_ fs.ReadDirFS       = (*FS)(nil)
	_ fs.ReadFileFS      = (*FS)(nil)
	_ sandbox.HackpadFS  = (*FS)(nil)
)

// Open opens a directory, after following links in its path. The caller closes the
// FS. An error is E_NOT_FOUND; its text does not contain the directory's path.
func Open(dir string) (*FS, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return nil, fault.New(fault.NotFound, "the directory cannot be opened: %w", reason(err))
	}
	at := real
	if !windows {
		at += "/." // opening a pipe of this name is an error at once, and does not wait
	}
	root, err := os.OpenRoot(at)
	if err != nil {
		return nil, fault.New(fault.NotFound, "the directory cannot be opened: %w", reason(err))
	}
	f := &FS{root: root, source: filepath.ToSlash(real)}
	f.sweepOnce(f.root, ".")
	return f, nil
}

// Close releases the handle.
func (f *FS) Close() error { return f.root.Close() }

// Source returns the directory's real path, with slashes. Use it only to
// compare, never in messages.
func (f *FS) Source() string { return f.source }

// SubFS opens a directory as a nested handle.
func (f *FS) SubFS(dir string) (sandbox.FS, error) {
	if err := valid(dir); err != nil {
		return nil, failed("sub", dir, err)
	}
	for range maxTries {
		s, err := f.walk(dir, follow)
		if err != nil {
			return nil, failed("sub", dir, err)
		}
		sub, err := f.sub(s)
		s.close()
		if !errors.Is(err, errSwapped) {
			return sub, err
		}
	}
	return nil, failed("sub", dir, errSwapped)
}

func (f *FS) sub(s *spot) (sandbox.FS, error) {
	err := error(fs.ErrNotExist)
	switch {
	case s.info == nil:
	case s.info.IsDir():
		root, err := enter(s.dir(), s.base, s.info)
		if err != nil {
			return nil, failed("sub", s.realPlace(), err)
		}
		return &FS{root: root, source: path.Join(f.source, s.realPlace())}, nil
	default:
		err = cmp.Or(regular(s.info), error(syscall.ENOTDIR))
	}
	return nil, failed("sub", s.realPlace(), err)
}

// SameFile reports whether two infos describe the same file.
func (f *FS) SameFile(a, b fs.FileInfo) bool { return os.SameFile(plainInfo(a), plainInfo(b)) }

// Open opens a regular file or a directory. Anything else is an error. Open
// checks this before it opens the file and again afterwards, in case the file was
// exchanged.
func (f *FS) Open(name string) (fs.File, error) {
	if err := readable(name); err != nil {
		return nil, failed("open", name, err)
	}
	for range maxTries {
		s, err := f.walk(name, follow)
		if err != nil {
			return nil, failed("open", name, err)
		}
		file, i, err := s.open(name)
		s.close()
		switch {
		case errors.Is(err, errSwapped):
			continue
		case err != nil:
			return nil, failed("open", name, err)
		case i.IsDir():
			return &dir{handle: &handle{file, name, i.place}, fs: f}, nil
		}
		return &handle{file, name, i.place}, nil
	}
	return nil, failed("open", name, errSwapped)
}

// open opens the file that walk found. The spot's directory cannot change, but
// its last element may have become a link; comparing the opened file with the
// spot shows that.
func (s *spot) open(name string) (*os.File, info, error) {
	if s.info == nil {
		return nil, info{}, fs.ErrNotExist
	}
	if err := regular(s.info); err != nil {
		return nil, info{}, err
	}
	file, err := s.dir().OpenFile(s.base, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, info{}, err
	}
	is, err := file.Stat()
	if err == nil {
		err = regular(is)
	}
	if err == nil && s.base != "." {
		if now, lerr := s.dir().Lstat(s.base); lerr != nil || !os.SameFile(is, now) {
			err = errSwapped
		}
	}
	if err != nil {
		return nil, info{}, cmp.Or(err, file.Close())
	}
	return file, newInfo(is, file, name, s.realPlace()), nil
}

// ReadFile reads a whole file of at most 1 GiB. It does not trust the size that
// the file reports.
func (f *FS) ReadFile(name string) ([]byte, error) { return sandbox.ReadFile(f, name, 1<<30) }

// Stat describes a file or directory and follows links inside the tree.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	if err := readable(name); err != nil {
		return nil, failed("stat", name, err)
	}
	s, err := f.walk(name, follow)
	if err != nil {
		return nil, failed("stat", name, err)
	}
	defer s.close()
	err = fs.ErrNotExist
	if s.info != nil {
		err = regular(s.info)
	}
	if err != nil {
		return nil, failed("stat", name, err)
	}
	return newInfo(s.info, nil, name, s.realPlace()), nil
}

// ReadDir lists a directory, sorted by name. It leaves out everything that is
// not a file, directory or link, and temporary files of writes.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	d, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	rd, ok := d.(fs.ReadDirFile)
	if !ok {
		return nil, cmp.Or(failed("readdir", name, syscall.ENOTDIR), d.Close())
	}
	entries, err := rd.ReadDir(-1)
	return entries, cmp.Or(err, d.Close())
}

// Resolve follows the symbolic links of a name inside the tree. A name that
// does not exist is resolved as far as it exists. A loop of links is E_PATH.
func (f *FS) Resolve(name string) (string, error) {
	if err := valid(name); err != nil {
		return "", failed("open", name, err)
	}
	s, err := f.walk(name, follow)
	if err != nil {
		return "", failed("open", name, err)
	}
	defer s.close()
	return s.realPlace(), nil
}

// readable returns an error for a name that is not valid, and fs.ErrNotExist for a
// temporary file of a write.
func readable(name string) error {
	if err := valid(name); err != nil {
		return err
	}
	if temporary(name) {
		return fs.ErrNotExist
	}
	return nil
}

// valid returns an error for a name that sandbox.Valid rejects. On Windows it also
// rejects short names (8.3), because they are second names of files that the
// protection knows by their long names.
func valid(name string) error {
	if err := sandbox.Valid(name); err != nil {
		return err
	}
	if windows && slices.ContainsFunc(strings.Split(name, "/"), shortName) {
		return fault.New(fault.Path, "%s may be the short name (8.3) of another file", sandbox.Abs(name)).Hinting("use the file's long name")
	}
	return nil
}

// shortName reports whether a name may be a short name that Windows made, such
// as GIT~1 or PROJEC~1.YAM.
func shortName(e string) bool {
	stem, ext, _ := strings.Cut(e, ".")
	tilde := strings.LastIndexByte(stem, '~')
	return tilde >= 0 && tilde+1 < len(stem) && len([]rune(stem)) <= 8 && len([]rune(ext)) <= 3 && strings.Trim(stem[tilde+1:], "0123456789") == ""
}

var (
	errEscapes = fault.New(fault.Path, "the path leads out of the sandbox").
			Hinting("golem follows symbolic links only inside a mount")
	errSpecial = fault.New(fault.Path, "this is neither a regular file nor a directory").
			Hinting("golem opens no devices, pipes or sockets")
	errLink = fault.New(fault.Path, "this is a symbolic link, and golem does not write through links").
		Hinting("write to the file that the link points to")
)

func regular(info fs.FileInfo) error {
	if info.Mode().IsRegular() || info.IsDir() {
		return nil
	}
	return errSpecial
}

// failed returns an error with the virtual path and without host paths. Errors
// of the operating system become faults with a code if golem has one.
func failed(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: sandbox.Abs(name), Err: reason(err)}
}

// reason returns the cause of an error, without host paths.
func reason(err error) error {
	var f *fault.Fault
	if errors.As(err, &f) {
		return f
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		err = le.Err
	}
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return sandbox.ErrNotDir
	case errors.Is(err, syscall.EISDIR):
		return sandbox.ErrIsDir
	case errors.Is(err, syscall.ENOTEMPTY):
		return sandbox.ErrNotEmpty
	case errors.Is(err, syscall.ENOSPC), isQuota(err):
		return fault.New(fault.Quota, "the disk is full: %w", err).Hinting("free some space and try again")
	case errors.Is(err, syscall.EROFS):
		return fault.New(fault.ReadOnly, "the disk is read-only: %w", err)
	case strings.Contains(err.Error(), escapes):
		return errEscapes
	}
	return err
}

// windows is true on Windows, where an open file cannot be replaced by
// renaming.
const windows = runtime.GOOS == "windows"
