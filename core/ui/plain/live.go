package plain

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"golem/core/ui"
)

// beat is the interval at which a status line is redrawn. It is short enough for SPEC §11:
// something moves within 300 ms of every wait.
const beat = 200 * time.Millisecond

var spinner = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// liveLine is the status line: the last line of a terminal during a wait. It is erased
// before anything else is written.
type liveLine struct {
	erase string // the output that erases the line; "": no line is shown
	turns int    // how often the line was drawn, which chooses the sign of the spinner
}

// clear erases the line if it is shown.
func (l *liveLine) clear(w io.Writer) {
	if l.erase != "" {
		io.WriteString(w, l.erase)
		l.erase = ""
	}
}

// draw draws the status line again. col is the number of columns that other text takes on
// this line. The status line comes after that text, and is left out if it does not fit.
func (l *liveLine) draw(w io.Writer, text string, col, columns int, color bool) {
	l.turns++
	text = spinner[l.turns%len(spinner)] + " " + text
	before := l.erase
	switch {
	case col == 0:
		if columns <= 0 {
			columns = ui.ScreenWidth
		}
		text, l.erase = ui.Clip(text, max(columns, ui.MinWidth)-1), "\r\x1b[K"
	case col+1+ui.Width(text) < columns:
		text = " " + text
		l.erase = fmt.Sprintf("\x1b[%dD\x1b[K", ui.Width(text))
	default:
		text, l.erase = "", ""
	}
	io.WriteString(w, before+ui.Faint.Paint(color, text))
}

// tryLock tries for two beats to lock mu and reports whether it did.
func tryLock(mu *sync.Mutex) bool {
	for end := time.Now().Add(2 * beat); ; time.Sleep(beat / 20) {
		if mu.TryLock() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}

// Spinner shows, on a terminal, what a command is waiting for outside a run.
// Set the fields; it is safe for concurrent use. The zero value shows nothing.
type Spinner struct {
	W      io.Writer
	Screen ui.Screen // the terminal that W writes to; nil: W is not a terminal
	Color  bool

	mu    sync.Mutex
	line  liveLine
	what  string
	since time.Time
	beats *ui.Ticker
}

// Wait shows what the command is waiting for, with seconds, from now on. It
// replaces an earlier text. Done ends it.
func (s *Spinner) Wait(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.what, s.since = ui.SafeLine(what), time.Now()
	if s.beats == nil && s.Screen != nil {
		s.beats = ui.Every(beat, s.tick)
	}
}

func (s *Spinner) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Screen.Live() {
		columns, _ := s.Screen.Size()
		s.line.draw(s.W, withTime(s.what, time.Since(s.since)), 0, columns, s.Color)
	}
}

// Done removes the line and ends the spinner.
func (s *Spinner) Done() {
	s.mu.Lock()
	beats := s.beats
	s.beats = nil
	s.mu.Unlock()
	beats.Stop()
	s.Aside(func() {})
}

// Aside removes the line while write writes something else to the same
// terminal.
func (s *Spinner) Aside(write func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.W != nil {
		s.line.clear(s.W)
	}
	write()
}

func withTime(what string, d time.Duration) string {
	return strings.TrimSpace(what + " " + ui.Seconds(d))
}
