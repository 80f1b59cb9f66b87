//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package osfs

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// hold locks an open file for its process, which the system undoes when the
// process ends, however it ends. free is false if another one holds it; known
// is false where the file system has no such locks.
func hold(file *os.File) (free, known bool) {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return true, true
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, true
		}
		return false, false
	}
}
