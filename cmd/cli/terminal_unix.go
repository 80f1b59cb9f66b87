//go:build unix

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

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

// unseen keeps what is typed from the screen, until restore: the shell has it later.
// Ctrl+C and Ctrl+Z work as ever.
func unseen(tty *os.File) (restore func()) {
	was, err := unix.IoctlGetTermios(int(tty.Fd()), getModes)
	if err != nil {
		return func() {}
	}
	now := *was
	now.Lflag &^= unix.ECHO
	if unix.IoctlSetTermios(int(tty.Fd()), setModes, &now) != nil {
		return func() {}
	}
	return func() { _ = unix.IoctlSetTermios(int(tty.Fd()), setModes, was) }
}

// pendingRead is nothing here: a read of the terminal begins only when there
// is something to read.
type pendingRead struct{}

// readLine reads up to the end of a line, which it takes off, or until ctx
// ends. io.EOF comes only where there is no text before it.
func (t *terminal) readLine(ctx context.Context, _ string) (string, error) {
	_ = t.pending // only Windows keeps one
	wake, stop, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer wake.Close()
	defer stop.Close()
	defer context.AfterFunc(ctx, func() { stop.Close() })()
	var line strings.Builder
	buf := make([]byte, 4096)
	for {
		if err := readable(int(t.in.Fd()), int(wake.Fd())); err != nil {
			return "", err
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		n, err := t.in.Read(buf)
		text, _, whole := strings.Cut(string(buf[:n]), "\n")
		line.WriteString(text)
		switch {
		case whole, err == io.EOF && line.Len() > 0:
			return strings.TrimRight(line.String(), "\r"), nil
		case err != nil:
			return "", err
		case line.Len() > maxLine:
			return "", errors.New("the line is too long")
		}
	}
}

// readable waits until one of the files can be read, or is closed.
func readable(fds ...int) error {
	for {
		var set unix.FdSet
		for _, fd := range fds {
			if fd >= unix.FD_SETSIZE {
				return errors.New("too many files are open")
			}
			set.Set(fd)
		}
		_, err := unix.Select(max(fds[0], fds[1])+1, &set, nil, nil, nil)
		if err != unix.EINTR {
			return err
		}
	}
}
