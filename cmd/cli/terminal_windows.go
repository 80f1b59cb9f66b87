package main

import (
	"bufio"
	"context"
	"io"
	"os"

	"golang.org/x/sys/windows"
)

// openNonblock is 0: Windows has no FIFOs in the file system.
const openNonblock = 0

// openTerminal opens the console, even if the standard streams are redirected.
func openTerminal() (in, out *os.File, err error) {
	if in, err = os.OpenFile("CONIN$", os.O_RDWR, 0); err != nil {
		return nil, nil, err
	}
	if out, err = os.OpenFile("CONOUT$", os.O_RDWR, 0); err != nil {
		in.Close()
		return nil, nil, err
	}
	return in, out, nil
}

// inForeground returns true: a console has no background jobs.
func inForeground(*os.File) bool { return true }

// flushInput discards input that was typed and not read.
func flushInput(console *os.File) error {
	return windows.FlushConsoleInputBuffer(windows.Handle(console.Fd()))
}

// midLine returns false: a console edits a line only while a program reads it, so that
// what was typed before is whole keys, which flushInput discards.
func midLine(*os.File) bool { return false }

// unseen does nothing: a console shows typed characters only while a program reads
// them.
func unseen(*os.File) (restore func()) { return func() {} }

// enableEscapes turns on escape sequences in the console, and reports whether that
// worked.
func enableEscapes(f *os.File) bool {
	var mode uint32
	handle := windows.Handle(f.Fd())
	if windows.GetConsoleMode(handle, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(handle, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}

// pendingRead is a read of the console that was started for a question which was then
// given up. It cannot be cancelled.
type pendingRead struct {
	got  chan reply
	open bool
}

// readLine reads a line, or gives up when ctx ends. If a read of a question that was
// given up is still pending, its line is discarded and the prompt is written again.
func (t *terminal) readLine(ctx context.Context, prompt string) (string, error) {
	p := &t.pending
	for {
		stale := p.open
		if !stale {
			p.got, p.open = make(chan reply, 1), true
			go func(got chan<- reply) {
				line, err := readLine(bufio.NewReader(t.in))
				got <- reply{line, err}
			}(p.got)
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case r := <-p.got:
			p.open = false
			if !stale || r.err != nil {
				return r.line, r.err
			}
		}
		if _, err := io.WriteString(t.out, prompt); err != nil {
			return "", err
		}
	}
}
