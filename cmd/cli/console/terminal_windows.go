package console

import (
	"bufio"
	"context"
	"io"
	"os"

	"golang.org/x/sys/windows"
	"golang.org/x/term"
)

// OpenTerminal opens the console, even if the standard streams are redirected.
func OpenTerminal() (in, out *os.File, err error) {
	if in, err = os.OpenFile("CONIN$", os.O_RDWR, 0); err != nil {
		return nil, nil, err
	}
	if out, err = os.OpenFile("CONOUT$", os.O_RDWR, 0); err != nil {
		in.Close()
		return nil, nil, err
	}
	return in, out, nil
}

// InForeground returns true: a console has no background jobs.
func InForeground(*os.File) bool { return true }

// flushInput discards input that was typed and not read.
func flushInput(in *os.File) error {
	return windows.FlushConsoleInputBuffer(windows.Handle(in.Fd()))
}

// midLine returns false: a console edits a line only while a program reads it, so that
// what was typed before is whole keys, which flushInput discards.
func midLine(*os.File) bool { return false }

// Continued does nothing: a console suspends no program.
func Continued(func()) (stop func()) { return func() {} }

// HideTyped does nothing: a console shows typed characters only while a program reads
// them.
func HideTyped(*os.File) (restore func()) { return func() {} }

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
func (t *Terminal) readLine(ctx context.Context, prompt string) (string, error) {
	p := &t.pending
	for {
		stale := p.open
		if !stale {
			p.got, p.open = make(chan reply, 1), true
			go func(got chan<- reply) {
				line, err := readLine(bufio.NewReader(t.In))
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
		if _, err := io.WriteString(t.Out, prompt); err != nil {
			return "", err
		}
	}
}

// readUnseen reads a line of the terminal, which does not show it.
func readUnseen(tty *os.File, _ func()) (string, error) {
	text, err := term.ReadPassword(int(tty.Fd()))
	return string(text), err
}
