//go:build unix

package console

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// OpenTerminal opens the controlling terminal.
func OpenTerminal() (in, out *os.File, err error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	return tty, tty, nil
}

// InForeground reports whether golem is the terminal's foreground job. A background job
// that reads from the terminal would be stopped.
func InForeground(tty *os.File) bool {
	pgrp, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && pgrp == unix.Getpgrp()
}

func enableEscapes(*os.File) bool { return true }

// HideTyped turns off the echo of typed characters until restore is called; characters
// that golem does not read are left for the shell. Ctrl+C and Ctrl+Z still work.
func HideTyped(tty *os.File) (restore func()) {
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

// midLine reads what was typed ahead, and reports whether it ends within a line. A
// terminal that gives programs whole lines keeps an unfinished one back; without that
// mode, which is off for a moment, it gives all that it has.
func midLine(tty *os.File) bool {
	fd := int(tty.Fd())
	was, err := unix.IoctlGetTermios(fd, getModes)
	if err != nil {
		return false
	}
	now := *was
	now.Lflag &^= unix.ICANON
	now.Cc[unix.VMIN], now.Cc[unix.VTIME] = 0, 0 // a read returns at once
	if unix.IoctlSetTermios(fd, setModes, &now) != nil {
		return false
	}
	defer func() { _ = unix.IoctlSetTermios(fd, setModes, was) }()
	last := byte('\n')
	buf := make([]byte, 4096)
	for {
		n, err := unix.Read(fd, buf)
		if n <= 0 || err != nil {
			return last != '\n'
		}
		last = buf[n-1]
	}
}

// pendingRead is empty on Unix: golem reads from the terminal only when there is
// something to read, so that no read is left pending.
type pendingRead struct{}

// readLine reads a line and returns it without its line break, or gives up when ctx
// ends. It returns io.EOF only if there is no text before the end.
func (t *Terminal) readLine(ctx context.Context, _ string) (string, error) {
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
		if err := readable(int(t.In.Fd()), int(wake.Fd())); err != nil {
			return "", err
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		n, err := t.In.Read(buf)
		text, _, whole := strings.Cut(string(buf[:n]), "\n")
		line.WriteString(text)
		switch {
		case whole, err == io.EOF && line.Len() > 0:
			return strings.TrimRight(line.String(), "\r"), nil
		case err != nil:
			return "", err
		case line.Len() > MaxLine:
			return "", errors.New("the line is too long")
		}
	}
}

// readable waits until one of the two files can be read or is closed.
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

// readUnseen reads a line of the terminal, which does not show it. After golem was suspended,
// it hides the line again, because shells show what is typed, and calls prompt.
// term.ReadPassword would wait on after a Ctrl+D.
func readUnseen(tty *os.File, prompt func()) (string, error) {
	fd := int(tty.Fd())
	was, err := unix.IoctlGetTermios(fd, getModes)
	if err != nil {
		return "", err
	}
	now := *was
	now.Lflag = now.Lflag&^unix.ECHO | unix.ICANON | unix.ISIG
	now.Iflag |= unix.ICRNL
	defer unix.IoctlSetTermios(fd, setModes, was)
	defer Continued(func() {
		if InForeground(tty) && unix.IoctlSetTermios(fd, setModes, &now) == nil {
			prompt()
		}
	})()
	if err := unix.IoctlSetTermios(fd, setModes, &now); err != nil {
		return "", err
	}
	var line []byte
	buf := make([]byte, 4096)
	for {
		n, err := unix.Read(fd, buf)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return "", err
		case n == 0 && len(line) == 0:
			return "", io.EOF
		}
		line = append(line, buf[:n]...)
		if n == 0 || line[len(line)-1] == '\n' {
			return strings.TrimRight(string(line), "\r\n"), nil
		}
	}
}
