//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package osfs

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Hold locks an open file, without waiting, until it is closed. The system removes the
// lock when the process ends in any way. free is false if another open file, in this
// process or in another one, has the lock. known is false if the file system does not
// support locks.
func Hold(file *os.File) (free, known bool) {
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
