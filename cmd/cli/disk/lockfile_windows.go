package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock locks an open file until it is closed. held is false if another one has the lock.
func lock(file *os.File, wait bool) (held bool, err error) {
	how := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK)
	if !wait {
		how |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	err = windows.LockFileEx(windows.Handle(file.Fd()), how, 0, 1, 0, &windows.Overlapped{})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}
