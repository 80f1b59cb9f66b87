//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package osfs

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Hold locks an open file for this process, until it is closed. The system removes the lock when
// the process ends in any way. free is false if another process holds the lock;
// known is false if the file system does not support locks.
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
