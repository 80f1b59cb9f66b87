// Package console is golem's process as commands see it: the standard streams, the
// person at the terminal, the environment, GOLEM_HOME, and the end of the process. It
// prints; what is printed comes from the commands.
package console

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"

	"golem/core/approval"
	"golem/core/ui"

	"golem/cmd/cli/disk"
	"golem/cmd/cli/home"
)

// Console is what a command has of the process. A command writes its result to Out and
// everything else to Err.
type Console struct {
	In, Out, Err *os.File
	Env          home.Env
	Dir          string   // working directory, absolute, without links
	Args         []string // the arguments of the process, without its name
	Commands     []string // the names of golem's commands, for hints
	Home         *home.Home
	Build        Build
	Pieces       Pieces // standard output, for results that are written in pieces

	front atomic.Pointer[Front]
	typed *Lines // reads the lines of standard input for all chats; nil: not started yet
}

// New returns the console of this process for an environment and a working directory.
func New(env home.Env, dir string) *Console {
	c := &Console{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: env, Dir: dir, Build: BuildOf("", "", "", nil)}
	c.Home = home.New(env, dir, func(text string) { c.Say("%s", text) }, nil)
	c.Pieces.w = c.Out
	return c
}

// WorkingDir returns the working directory without links; "" if it is not known. The
// system may return PWD, in which ".." of a link means another directory.
func WorkingDir() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// Report prints the faults of an error on standard error, one a line. A fault in a file
// begins with its place, in the form that editors understand (SPEC §16).
func (c *Console) Report(err error) {
	for _, f := range Faults(err) {
		if f.Where != nil && f.Where.File != "" {
			c.Beside(func() { fmt.Fprintln(c.Err, Fit(c.Err, ui.OneLine(f.Error()))) })
		} else {
			c.Say("%s", f.Error())
		}
	}
}

// Say prints one line on standard error, or shows it on the full screen. It ignores
// errors, because there is no other place to report them.
func (c *Console) Say(format string, args ...any) {
	text, _ := approval.Visible(fmt.Sprintf(format, args...))
	if f := c.front.Load(); f != nil && f.Tell != nil {
		f.Tell(text)
		return
	}
	c.Beside(func() { fmt.Fprintln(c.Err, Fit(c.Err, "golem: "+text)) })
}

// Below prints the further lines of a message that Say or Report printed, each indented, so
// that none of them can look like a message.
func (c *Console) Below(text string) {
	if text == "" {
		return
	}
	lines, _ := approval.Lines(text)
	c.Beside(func() {
		for _, line := range lines {
			fmt.Fprintln(c.Err, Fit(c.Err, "  "+line))
		}
	})
}

// Print writes a result to standard output. If that fails, it reports the error and
// returns exit code 1.
func (c *Console) Print(s string) error {
	if _, err := io.WriteString(c.Out, s); err != nil {
		c.Say("standard output: %s", disk.Cause(err))
		return ExitCode(ExitFailed)
	}
	return nil
}

// PrintJSON writes a result as one line of JSON to standard output.
func (c *Console) PrintJSON(v any) error {
	line, err := JSONLine(v)
	if err != nil {
		return err
	}
	return c.Print(line)
}

// Show prints a text for people: on a terminal, lines are broken between words.
func (c *Console) Show(s string) error { return c.Print(Fit(c.Out, s)) }

// Fit breaks a text for the width of the terminal f. If f is no terminal, it returns
// the text unchanged.
func Fit(f *os.File, s string) string {
	if !IsTerminal(f) {
		return s
	}
	return ui.Fit(s, Columns(f))
}

// Path returns word as an absolute path.
func (c *Console) Path(word string) string { return disk.Abs(c.Dir, word) }

// ReadFile reads a regular file of at most limit bytes. It refuses anything else, and
// never waits for a FIFO or a device.
func (c *Console) ReadFile(name string, limit int64) ([]byte, error) {
	return disk.ReadFile(c.Path(name), limit)
}

// Pieces is a writer for a result that is written in pieces. It keeps the first error,
// so that golem ends with exit code 1, even if the caller ignores the error.
type Pieces struct {
	Plain bool // show control characters as escapes, because the output is a terminal

	w   io.Writer
	err error
}

// Write writes a piece.
func (p *Pieces) Write(data []byte) (int, error) {
	shown := data
	if p.Plain {
		shown = []byte(ui.Safe(string(data)))
	}
	if _, err := p.w.Write(shown); err != nil {
		if p.err == nil {
			p.err = err
		}
		return 0, err
	}
	return len(data), nil
}

// Err returns the first error of a write; nil if there was none.
func (p *Pieces) Err() error { return p.err }
