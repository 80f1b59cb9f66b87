package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"golem/core/approval"
	"golem/core/run"
	"golem/core/ui"
)

// terminal is the controlling terminal: where a person is asked, even when
// standard input is a pipe (SPEC §7). Questions come one at a time. Nothing is
// read of it between two questions, so that an answer that comes too late is
// flushed by the next question instead of answering it.
type terminal struct {
	in, out *os.File
	pending pendingRead
}

type reply struct {
	line string
	err  error
}

var _ ui.Person = (*terminal)(nil)

// person opens the controlling terminal; nil if there is none or --headless
// forbids to use it.
func (h *host) person(f *flags) ui.Person {
	if f.headless {
		return nil
	}
	in, out, err := openTerminal()
	if err != nil {
		return nil
	}
	return &terminal{in: in, out: out}
}

// maxLine bounds an answer or a chat message, in bytes.
const maxLine = run.MaxInput

// readLine reads up to the end of a line, which it takes off. io.EOF comes
// only where there is no text before it.
func readLine(r *bufio.Reader) (string, error) {
	var b strings.Builder
	for {
		part, err := r.ReadSlice('\n')
		b.Write(part)
		switch {
		case err == nil || err == io.EOF && b.Len() > 0:
			return strings.TrimRight(b.String(), "\r\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		case b.Len() > maxLine:
			return "", run.TooLarge("the line")
		}
	}
}

// Write shows text, if the terminal is ours at the moment.
func (t *terminal) Write(p []byte) (int, error) {
	if !inForeground(t.out) {
		return 0, approval.ErrNobody
	}
	return t.out.Write(p)
}

// Ask throws away what was typed ahead, whole lines and half ones, before it
// writes the prompt: nothing typed before the question answers it (SECURITY 9).
// A question that is given up leaves the terminal free for the next.
func (t *terminal) Ask(ctx context.Context, prompt string) (string, error) {
	if !inForeground(t.in) {
		return "", approval.ErrNobody
	}
	if err := flushInput(t.in); err != nil {
		return "", err
	}
	if _, err := io.WriteString(t.out, prompt); err != nil {
		return "", err
	}
	line, err := t.readLine(ctx, prompt)
	if err != nil {
		io.WriteString(t.out, "\n")
	}
	return line, err
}

// columns is the width of a terminal, 0 if it cannot be told.
func columns(f *os.File) int {
	w, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return w
}

// rows is the height of a terminal, 0 if it cannot be told.
func rows(f *os.File) int {
	_, h, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return h
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// escapes says whether a stream may get escape sequences at all.
func (h *host) escapes(f *os.File) bool {
	return isTerminal(f) && h.env["TERM"] != "dumb" && enableEscapes(f)
}

// colors says whether a stream may be coloured (https://no-color.org).
func (h *host) colors(f *os.File, fl *flags) bool {
	return !fl.noColor && h.env["NO_COLOR"] == "" && h.escapes(f)
}

// lines reads the messages of a chat from standard input.
type lines struct {
	file *os.File
	want chan struct{}
	got  chan reply
}

func (h *host) messages() *lines {
	if h.typed == nil {
		h.typed = newLines(h.in)
	}
	return h.typed
}

func newLines(f *os.File) *lines {
	l := &lines{file: f, want: make(chan struct{}), got: make(chan reply, 1)}
	go l.read()
	return l
}

// read lives as long as the process, like the terminal's reader.
func (l *lines) read() {
	r := bufio.NewReader(l.file)
	for range l.want {
		line, err := readLine(r)
		l.got <- reply{line, err}
	}
}

// Line reads the next one. After ctx has ended it must not be used again.
func (l *lines) Line(ctx context.Context) (string, error) {
	select {
	case l.want <- struct{}{}:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	select {
	case r := <-l.got:
		return r.line, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
