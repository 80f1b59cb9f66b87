package disk

import (
	"os"
	"path/filepath"

	"golem/core/sandbox"
)

// Abs returns name as an absolute path; a relative one is relative to dir.
func Abs(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// SameDir reports whether two names exist and are one file or directory.
func SameDir(a, b string) bool {
	ia, errA := os.Stat(a)
	ib, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(ia, ib)
}

// Resolved returns a path without links. Of a path that does not exist, the part that
// exists is resolved.
func Resolved(name string) string {
	rest := ""
	for at := name; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if target, err := os.Readlink(at); err == nil { // a link to what does not exist yet
			if !filepath.IsAbs(target) {
				target = filepath.Join(filepath.Dir(at), target)
			}
			return filepath.Join(target, rest)
		}
		if at == filepath.Dir(at) {
			return filepath.Clean(name)
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// Inside reports whether a resolved path is dir or lies in it. It compares directories
// as the file system does, so that case, short names and bind mounts make no difference.
func Inside(name, dir string) bool {
	if sandbox.Within(sandbox.Fold(filepath.ToSlash(name)), sandbox.Fold(filepath.ToSlash(Resolved(dir)))) {
		return true
	}
	for at := name; ; at = filepath.Dir(at) {
		if SameDir(at, dir) {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

// RealPath returns a directory as a slash path without symbolic links, so that a
// project has the same name however it is reached.
func RealPath(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return filepath.ToSlash(filepath.Clean(dir))
}
