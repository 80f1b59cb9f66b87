package osfs

import (
	"errors"
	"os"

	sys "golang.org/x/sys/windows"
)

// lockFile locks one byte of an open file until it is closed. free is false if
// another handle has the lock; known is false if the file system has no locks.
func lockFile(file *os.File) (free, known bool) {
	err := sys.LockFileEx(sys.Handle(file.Fd()), sys.LOCKFILE_EXCLUSIVE_LOCK|sys.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &sys.Overlapped{})
	return err == nil, err == nil || errors.Is(err, sys.ERROR_LOCK_VIOLATION)
}
