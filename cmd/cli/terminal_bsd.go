//go:build unix && !linux

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// fread is FREAD of <sys/file.h>: flush the input queue only.
const fread = 1

// The requests that read and write a terminal's modes.
const getModes, setModes = unix.TIOCGETA, unix.TIOCSETA

// flushInput throws away what was typed and not read.
func flushInput(tty *os.File) error {
	return unix.IoctlSetPointerInt(int(tty.Fd()), unix.TIOCFLUSH, fread)
}
