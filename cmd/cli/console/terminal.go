package console

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

// Terminal is the controlling terminal, on which a person is asked even when standard
// input is a pipe (SPEC §7). It asks one question at a time. It reads nothing between
// two questions: an answer that comes too late is discarded by the next question, and
// does not answer it.
type Terminal struct {
	In, Out *os.File
	pending pendingRead
}

type reply struct {
	line string
	err  error
}

var _ ui.Person = (*Terminal)(nil)

// Person opens the controlling terminal; nil if there is none.
func (c *Console) Person() ui.Person {
	in, out, err := OpenTerminal()
	if err != nil {
		return nil
	}
	return &Terminal{In: in, Out: out}
}

// MaxLine is the size limit of an answer or a chat message, in bytes.
const MaxLine = run.MaxInput

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
		case b.Len() > MaxLine:
			return "", run.TooLarge("the line")
		}
	}
}

// Write writes text to the terminal. It returns approval.ErrNobody if golem is not the
// foreground job.
func (t *Terminal) Write(p []byte) (int, error) {
	if !InForeground(t.Out) {
		return 0, approval.ErrNobody
	}
	return t.Out.Write(p)
}

// Ask writes the prompt and returns the line that the person types. Before that it
// discards everything that was typed ahead, complete lines and partial ones, so that
// nothing typed before the question answers it (SECURITY 9). The end of a line that the
// person had begun before answers nothing either; Ask then asks again. When ctx ends, it
// gives up the question, and the terminal is free for the next one.
func (t *Terminal) Ask(ctx context.Context, prompt string) (string, error) {
	if !InForeground(t.In) {
		return "", approval.ErrNobody
	}
	begun := midLine(t.In)
	if err := flushInput(t.In); err != nil {
		return "", err
	}
	defer Continued(func() { // from before the prompt: golem can be suspended as soon as it is seen
		if InForeground(t.Out) {
			io.WriteString(t.Out, prompt)
		}
	})()
	for {
		if _, err := io.WriteString(t.Out, prompt); err != nil {
			return "", err
		}
		line, err := t.readLine(ctx, prompt)
		if err != nil {
			io.WriteString(t.Out, "\n")
		}
		if err != nil || !begun {
			return line, err
		}
		begun = false
		if _, err := io.WriteString(t.Out, begunBefore); err != nil {
			return "", err
		}
	}
}

// begunBefore tells why a line did not count as an answer.
const begunBefore = "You had begun that line before the question came, so it is not an answer.\n"

// Columns returns the width of a terminal; 0 if it is not known.
func Columns(f *os.File) int {
	w, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return w
}

// Rows returns the height of a terminal; 0 if it is not known.
func Rows(f *os.File) int {
	_, h, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return h
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// Escapes reports whether escape sequences may be written to a stream.
func (c *Console) Escapes(f *os.File) bool {
	return IsTerminal(f) && c.Env["TERM"] != "dumb" && enableEscapes(f)
}

// Colors reports whether colours may be written to a stream (https://no-color.org).
// without is --no-color.
func (c *Console) Colors(f *os.File, without bool) bool {
	return !without && c.Env["NO_COLOR"] == "" && c.Escapes(f)
}

// Lines reads the messages of a chat from standard input.
type Lines struct {
	file *os.File
	want chan struct{}
	got  chan reply
}

// Messages returns the reader for the messages of chats. All chats of the process share
// it, because nothing can interrupt a read from standard input.
func (c *Console) Messages() *Lines {
	if c.typed == nil {
		c.typed = newLines(c.In)
	}
	return c.typed
}

func newLines(f *os.File) *Lines {
	l := &Lines{file: f, want: make(chan struct{}), got: make(chan reply, 1)}
	go l.read()
	return l
}

// read reads a line for each request. Its goroutine lives as long as the process,
// because nothing can interrupt a read from standard input.
func (l *Lines) read() {
	r := bufio.NewReader(l.file)
	for range l.want {
		line, err := readLine(r)
		l.got <- reply{line, err}
	}
}

// Line returns the next line. If ctx has ended during a call, l must not be used again.
func (l *Lines) Line(ctx context.Context) (string, error) {
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
