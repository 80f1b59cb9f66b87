// Package ptytest makes pseudo terminals for tests.
package ptytest

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Open makes a pseudo terminal of 40 rows and 100 columns.
func Open(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := master.SyscallConn() // master.Fd() would make reads block for good
	if err != nil {
		t.Fatal(err)
	}
	var n int
	var bad error
	err = conn.Control(func(fd uintptr) {
		bad = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0)
		if bad == nil {
			n, bad = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
		if bad == nil {
			bad = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 100})
		}
	})
	if err != nil || bad != nil {
		t.Fatal(err, bad)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return master, slave
}
