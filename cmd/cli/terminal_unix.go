//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// openNonblock keeps an open from waiting for a FIFO's other end.
const openNonblock = unix.O_NONBLOCK

// openTerminal opens the controlling terminal.
func openTerminal() (in, out *os.File, err error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	return tty, tty, nil
}

// inForeground says whether golem is the terminal's foreground job. Another
// job would be stopped when it reads.
func inForeground(tty *os.File) bool {
	pgrp, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && pgrp == unix.Getpgrp()
}

func enableEscapes(*os.File) bool { return true }
