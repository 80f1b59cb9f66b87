package console

import (
	"os"

	"golem/core/ui"
	"golem/core/ui/plain"
)

// Front is what a front end that draws on the terminal offers golem's own lines. A nil
// function means that it offers none.
type Front struct {
	Aside   func(write func()) // runs a function that writes to the terminal, without disturbing status lines
	Tell    func(text string)  // shows a line on the full screen
	Passing func(text string)  // shows a line below the tree of a run, until the tree is removed
	Restore func()             // restores the terminal's settings
}

// Attach says which front end draws on the terminal from now on; nil: none.
func (c *Console) Attach(f *Front) { c.front.Store(f) }

// Beside calls write, which writes to standard error, with the status line removed
// before.
func (c *Console) Beside(write func()) {
	if f := c.front.Load(); f != nil && f.Aside != nil {
		f.Aside(write)
		return
	}
	write()
}

// Screen returns the terminal of a stream, or nil if the stream is not a terminal.
func (c *Console) Screen(f *os.File) ui.Screen {
	if !IsTerminal(f) {
		return nil
	}
	return screen{f, c.Escapes(f)}
}

// screen is the terminal of a stream.
type screen struct {
	file    *os.File
	escapes bool // escape sequences may be written to it
}

func (s screen) Size() (columns, lines int) { return Columns(s.file), Rows(s.file) }

// Live is false for a job in the background.
func (s screen) Live() bool { return s.escapes && InForeground(s.file) }

// Spinner returns a status line that shows, on a terminal, what a command waits for
// outside a run. The caller must call end, which removes it; calling end again is
// allowed.
func (c *Console) Spinner() (s *plain.Spinner, end func()) {
	s = &plain.Spinner{W: c.Err, Color: c.Colors(c.Err, false)}
	if c.Escapes(c.Err) {
		s.Screen = c.Screen(c.Err)
	}
	c.Attach(&Front{Aside: s.Aside})
	return s, func() {
		s.Done()
		c.Attach(nil)
	}
}
