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

// terminal is the controlling terminal, on which a person is asked even when standard
// input is a pipe (SPEC §7). It asks one question at a time. It reads nothing between
// two questions: an answer that comes too late is discarded by the next question, and
// does not answer it.
type terminal struct {
	in, out *os.File
	pending pendingRead
}

type reply struct {
	line string
	err  error
}

var _ ui.Person = (*terminal)(nil)

// person opens the controlling terminal; nil if there is none, or with --headless.
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

// maxLine is the size limit of an answer or a chat message, in bytes.
const maxLine = run.MaxInput

// readLine reads a line and returns it without its line break. It returns io.EOF only
// if there is no text before the end.
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

// Write writes text to the terminal. It returns approval.ErrNobody if golem is not the
// foreground job.
func (t *terminal) Write(p []byte) (int, error) {
	if !inForeground(t.out) {
		return 0, approval.ErrNobody
	}
	return t.out.Write(p)
}

// Ask writes the prompt and returns the line that the person types. Before that it
// discards everything that was typed ahead, complete lines and partial ones, so that
// nothing typed before the question answers it (SECURITY 9). The end of a line that the
// person had begun before answers nothing either; Ask then asks again. When ctx ends, it
// gives up the question, and the terminal is free for the next one.
func (t *terminal) Ask(ctx context.Context, prompt string) (string, error) {
	if !inForeground(t.in) {
		return "", approval.ErrNobody
	}
	begun := midLine(t.in)
	if err := flushInput(t.in); err != nil {
		return "", err
	}
	for {
		if _, err := io.WriteString(t.out, prompt); err != nil {
			return "", err
		}
		line, err := t.readLine(ctx, prompt)
		if err != nil {
			io.WriteString(t.out, "\n")
		}
		if err != nil || !begun {
			return line, err
		}
		begun = false
		if _, err := io.WriteString(t.out, begunBefore); err != nil {
			return "", err
		}
	}
}

// begunBefore tells why a line did not count as an answer.
const begunBefore = "You had begun that line before the question came, so it is not an answer.\n"

// columns returns the width of a terminal; 0 if it is not known.
func columns(f *os.File) int {
	w, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return w
}

// rows returns the height of a terminal; 0 if it is not known.
func rows(f *os.File) int {
	_, h, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return h
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// escapes reports whether escape sequences may be written to a stream.
func (h *host) escapes(f *os.File) bool {
	return isTerminal(f) && h.env["TERM"] != "dumb" && enableEscapes(f)
}

// colors reports whether colours may be written to a stream (https://no-color.org).
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

// read reads a line for each request. Its goroutine lives as long as the process,
// because nothing can interrupt a read from standard input.
func (l *lines) read() {
	r := bufio.NewReader(l.file)
	for range l.want {
		line, err := readLine(r)
		l.got <- reply{line, err}
	}
}

// Line returns the next line. If ctx has ended during a call, l must not be used again.
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
