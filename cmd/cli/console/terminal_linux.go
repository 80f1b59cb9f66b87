package console

import (
	"os"

	"golang.org/x/sys/unix"
)

// getModes and setModes are the ioctl requests that read and write a terminal's modes.
const getModes, setModes = unix.TCGETS, unix.TCSETS

// flushInput discards input that was typed and not read.
func flushInput(tty *os.File) error {
	return unix.IoctlSetInt(int(tty.Fd()), unix.TCFLSH, unix.TCIFLUSH)
}
