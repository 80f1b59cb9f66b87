package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// flushInput throws away what was typed and not read.
func flushInput(tty *os.File) error {
	return unix.IoctlSetInt(int(tty.Fd()), unix.TCFLSH, unix.TCIFLUSH)
}
