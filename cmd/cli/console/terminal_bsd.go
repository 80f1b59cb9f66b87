//go:build unix && !linux

package console

import (
	"os"

	"golang.org/x/sys/unix"
)

// fread is the constant FREAD of <sys/file.h>: discard only the input queue.
const fread = 1

// getModes and setModes are the ioctl requests that read and write a terminal's modes.
const getModes, setModes = unix.TIOCGETA, unix.TIOCSETA

// flushInput discards input that was typed and not read.
func flushInput(tty *os.File) error {
	return unix.IoctlSetPointerInt(int(tty.Fd()), unix.TIOCFLUSH, fread)
}
