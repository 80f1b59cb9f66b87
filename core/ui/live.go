package ui

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"golem/core/trace"
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
			columns = screenWidth
		}
		text, l.erase = clip(text, max(columns, minWidth)-1), "\r\x1b[K"
	case col+1+width(text) < columns:
		text = " " + text
		l.erase = fmt.Sprintf("\x1b[%dD\x1b[K", width(text))
	default:
		text, l.erase = "", ""
	}
	io.WriteString(w, before+paint(color, dim, text))
}

// Every calls tick at each interval, in a goroutine of its own, until the caller calls
// stop. stop returns when that goroutine has ended.
func Every(interval time.Duration, tick func()) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		t := time.NewTicker(interval)
		defer t.Stop()
		for {
			select {
			case <-end:
				return
			case <-t.C:
				tick()
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(end)
		<-ended
	})
}

// soon tries for two beats to lock mu and reports whether it did.
func soon(mu *sync.Mutex) bool {
	for end := time.Now().Add(2 * beat); ; time.Sleep(beat / 20) {
		if mu.TryLock() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}

// Seconds returns a duration as a status line shows it, such as "5 s", "2 min 5 s" and
// "1 h 2 min"; a negative one is "0 s".
func Seconds(d time.Duration) string {
	s := max(int(d/time.Second), 0)
	switch {
	case s < 60:
		return strconv.Itoa(s) + " s"
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %d min", s/3600, s%3600/60)
}

// Thousands returns a number of tokens in a few characters: 950, 1.2k, 34k.
func Thousands(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n)
	case n < 10_000:
		return strconv.FormatFloat(float64(n/100)/10, 'f', 1, 64) + "k"
	}
	return strconv.Itoa(n/1000) + "k"
}

// tokens returns the number of tokens as text, or "" if there are none.
func tokens(u trace.Usage) string {
	if u.In+u.Out == 0 {
		return ""
	}
	about := ""
	if u.Estimated {
		about = "~"
	}
	return about + Thousands(u.In) + " tokens in, " + about + Thousands(u.Out) + " out"
}

// Spinner shows, on a terminal, what a command is waiting for outside a run.
// Set the fields; it is safe for concurrent use. The zero value shows nothing.
type Spinner struct {
	W     io.Writer
	Live  func() bool // reports whether W is a terminal that can be written to now; nil: never
	Width func() int
	Color bool

	mu    sync.Mutex
	line  liveLine
	what  string
	since time.Time
	stop  func()
}

// Wait shows what the command is waiting for, with seconds, from now on. It
// replaces an earlier text. Done ends it.
func (s *Spinner) Wait(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.what, s.since = oneLine(what), time.Now()
	if s.stop == nil && s.Live != nil {
		s.stop = Every(beat, s.tick)
	}
}

func (s *Spinner) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Live() {
		s.line.draw(s.W, withTime(s.what, time.Since(s.since)), 0, size(s.Width), s.Color)
	}
}

// Done removes the line and ends the spinner.
func (s *Spinner) Done() {
	s.mu.Lock()
	stop := s.stop
	s.stop = nil
	s.mu.Unlock()
	if stop != nil {
		stop()
	}
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

func withTime(what string, d time.Duration) string { return strings.TrimSpace(what + " " + Seconds(d)) }
