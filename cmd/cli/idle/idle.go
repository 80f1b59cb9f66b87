// Package idle has programs of bubbletea that need no processor time while nothing happens.
package idle

import (
	"reflect"
	"time"

	tea "charm.land/bubbletea/v2"
)

// resting is a model whose program does not look for changes while nothing happens. bubbletea
// compares the screen with the view 60 times a second, as long as a program runs, which costs
// an idle chat about 1 % of a processor. It has no option that ends this, so that resting sets
// the ticker of the program: nothing but a message changes the view.
type resting struct {
	tea.Model
	program *tea.Program
	last    int  // the number of the last message
	waits   bool // rested will come
	asleep  bool
}

// rested is the message that some time has passed since a message.
type rested struct{ last int }

const (
	restAfter = time.Second
	frameRate = time.Second / 60
	never     = 24 * time.Hour
)

// NewProgram is tea.NewProgram, with a model that rests.
func NewProgram(m tea.Model, options ...tea.ProgramOption) *tea.Program {
	r := &resting{Model: m}
	r.program = tea.NewProgram(r, options...)
	return r.program
}

// Update wakes the program up, and notes when it may rest.
func (r *resting) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if msg, ok := msg.(rested); ok {
		if r.waits = msg.last != r.last; r.waits {
			return r, r.timer()
		}
		r.asleep = every(r.program, never)
		return r, nil
	}
	r.last++
	if r.asleep {
		r.asleep = false
		every(r.program, frameRate)
	}
	_, cmd := r.Model.Update(msg)
	if !r.waits {
		r.waits = true
		cmd = tea.Batch(cmd, r.timer())
	}
	return r, cmd
}

func (r *resting) timer() tea.Cmd {
	last := r.last
	return tea.Tick(restAfter, func(time.Time) tea.Msg { return rested{last} })
}

// tickerField is the field of a program that has its ticker.
const tickerField = "ticker"

// every sets how often a program looks for changes. It must be called by the program's
// goroutine. It reports whether that was possible.
func every(p *tea.Program, d time.Duration) bool {
	f := reflect.ValueOf(p).Elem().FieldByName(tickerField)
	if !f.IsValid() || f.Type() != reflect.TypeFor[*time.Ticker]() || f.IsNil() {
		return false
	}
	(*time.Ticker)(f.UnsafePointer()).Reset(d)
	return true
}
