// Package tui is the full-screen front end of a chat on a terminal. It draws the state
// of core/ui/view and changes that state when the person does something. The session
// runs in other goroutines and uses it as a ui.UI.
//
// Text that models, tools and files contain is escaped before it is styled, so that it
// cannot move the cursor. The screen is drawn only when something changed, at most once
// a frame.
package tui

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"golem/core/approval"
	"golem/core/clearance"
	"golem/core/run"
	"golem/core/trace"
	"golem/core/ui"
	"golem/core/ui/view"

	"golem/cmd/cli/idle"
)

// Options are the settings and functions of the host that a chat's screen uses. A field
// with its zero value switches its feature off.
type Options struct {
	Project string // its name, for the header
	Entry   string // the worker that answers
	Model   string
	Mode    string // the approval mode
	Resumed bool   // the chat continues a kept conversation
	In, Out *os.File
	Env     []string
	Color   bool
	Writing
	// Stop ends the current exchange and reports whether there was one.
	Stop func() bool
	// Chosen returns the model of the conversation. Only Prompt calls it.
	Chosen func() string
	// Permit sets what workers may do without asking, also during an exchange.
	Permit func(approval.Permission) error
	// Leave ends the chat as a Ctrl+C does.
	Leave func()
	// Gone is called once if the terminal goes away.
	Gone func(error)
	Now  func() time.Time // nil: time.Now
	// Clearance is the store of staged changes of the project, Undo that of what its
	// runs replaced.
	Clearance, Undo *clearance.Store
	// Notify returns the sequence that makes the terminal notify the person, who may be
	// elsewhere, of a text; nil or "": no notification.
	Notify func(text string) string
	// Trace returns a viewer of the chat's trace up to now.
	Trace func() (Viewer, error)
}

// Writing is what the person writes messages with, and goes back to them.
type Writing struct {
	// Editor is the editor for messages; nil: a minimal one.
	Editor Editor
	// Compose prepares the person's own editor for a text. The screen runs cmd and then
	// calls done, which returns the text that was written and removes its file.
	Compose func(text string) (cmd Command, done func() (string, error), err error)
	// Dropped returns what to write in place of a pasted text that only names files of this
	// machine, so that they go with the message; ok is false for any other text.
	Dropped func(pasted string) (text string, ok bool)
	// LookUp asks for the arguments of a command that the editor can offer afterwards, which
	// may take time, and reports whether it found some. It is called outside the program.
	LookUp func(command string) bool
	// Forms returns the messages of the conversation that exist in several forms. It is called
	// outside the program.
	Forms func() []Forms
	// Marked has the number of the message that is marked at the beginning, and gets it when
	// the person goes to another form of a message, which the next screen shows.
	Marked *int
}

func (o *Options) now() time.Time {
	if o.Now == nil {
		return time.Now()
	}
	return o.Now()
}

// frame is the least time between two drawings for events.
const frame = 16 * time.Millisecond

// UI is the screen of a chat. Make it with New; Start draws it, Close removes it. The
// methods of ui.UI may be used from any goroutine.
type UI struct {
	model *model
	lines chan string // the messages and commands that the person sent
	wake  chan struct{}
	over  chan struct{} // closed when the program has ended
	eof   chan struct{} // closed when the person ends the input

	lost sync.Once

	mu      sync.Mutex
	program *tea.Program // the program that draws now; nil: none
	closed  bool         // Close was called
	queue   []any
	err     error
}

var _ ui.UI = (*UI)(nil)

// New returns a screen that is not drawn yet. Call Start next.
func New(o Options) *UI {
	u := &UI{
		lines: make(chan string, 1), wake: make(chan struct{}, 1), over: make(chan struct{}), eof: make(chan struct{}),
	}
	u.model = newModel(o, u)
	return u
}

// Start draws the screen and reads keys until Close. It returns at once.
func (u *UI) Start() {
	go func() {
		err := u.run()
		u.mu.Lock()
		u.err = err
		u.mu.Unlock()
		if err != nil {
			u.terminalGone(err) // before over is closed, so that waiting calls find the chat ended
		}
		close(u.over)
	}()
	go u.pump()
}

// run draws until the chat ends. In between it lets the person's own editor use the
// terminal.
func (u *UI) run() error {
	for {
		p := u.begin()
		if p == nil {
			return nil
		}
		_, err := p.Run()
		u.mu.Lock()
		u.program = nil
		closed := u.closed
		u.mu.Unlock()
		edit := u.model.elsewhere
		u.model.elsewhere = nil
		switch {
		case edit == nil:
			return err
		case err != nil || closed:
			_, _ = edit.done() // removes its file
			return err
		}
		edit.write(u.model)
	}
}

// begin returns a new program that draws from now on; nil if the chat was closed.
func (u *UI) begin() *tea.Program {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return nil
	}
	o := u.model.o
	options := []tea.ProgramOption{
		tea.WithInput(input{o.In, u.terminalGone, &pasted{now: o.now}}), tea.WithOutput(o.Out), tea.WithEnvironment(o.Env), tea.WithoutSignalHandler(),
	}
	if !o.Color {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	u.program = idle.NewProgram(u.model, options...)
	return u.program
}

// drawing returns the program that draws now; nil if there is none.
func (u *UI) drawing() *tea.Program {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.program
}

// terminalGone tells the host, once, that the terminal went away.
func (u *UI) terminalGone(err error) {
	u.lost.Do(func() {
		if gone := u.model.o.Gone; gone != nil {
			gone(err)
		}
	})
}

// pump tells the program that something was posted, at most once a frame.
func (u *UI) pump() {
	for {
		select {
		case <-u.over:
			return
		case <-u.wake:
			if p := u.drawing(); p != nil {
				p.Send(arrived{}) // a new program takes the queue in Init
			}
		}
		select {
		case <-u.over:
			return
		case <-time.After(frame):
		}
	}
}

// Close removes the screen, restores the terminal, and waits until the program has
// ended. It returns the error that ended the program before, such as that of a terminal
// that went away.
func (u *UI) Close() error {
	u.mu.Lock()
	u.closed = true
	p := u.program
	u.mu.Unlock()
	if p != nil {
		p.Quit()
	}
	<-u.over
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.err
}

// post queues something for the program and wakes it.
func (u *UI) post(what any) {
	u.mu.Lock()
	u.queue = append(u.queue, what)
	u.mu.Unlock()
	select {
	case u.wake <- struct{}{}:
	default:
	}
}

// drainPosts returns and removes all that was posted since the last call.
func (u *UI) drainPosts() []any {
	u.mu.Lock()
	defer u.mu.Unlock()
	out := u.queue
	u.queue = nil
	return out
}

// arrived is the message that tells the program that something was posted.
type arrived struct{}

// event is an event of the run with the time at which it came.
type event struct {
	trace.Event
	at time.Time
}

// asked is a question to the person. Its answer goes to reply, which is buffered.
type asked struct {
	approval.Request
	reply chan approval.Decision
}

// chosen is the model of the conversation, which a command may have changed.
type chosen string

// recalled are items of a conversation that goes on.
type recalled []*view.Item

// Recall shows what was said before, in a conversation that goes on.
func (u *UI) Recall(items []*view.Item) { u.post(recalled(items)) }

// Emit shows an event of the run. It does not wait for the screen.
func (u *UI) Emit(e trace.Event) { u.post(event{e, u.model.o.now()}) }

// Tell shows a line of golem itself; level is info, warn or error.
func (u *UI) Tell(level, text string) { u.post(view.Action{Do: view.Told, ID: level, Text: text}) }

var errGone = errors.New("the terminal is gone")

// Approve shows a question until the person answers it, ctx ends or the terminal is
// gone.
func (u *UI) Approve(ctx context.Context, r approval.Request) (approval.Decision, error) {
	reply := make(chan approval.Decision, 1)
	u.post(asked{r, reply})
	select {
	case d := <-reply:
		return d, nil
	case <-ctx.Done():
		u.post(view.Action{Do: view.Answered})
		return approval.Decision{}, ctx.Err()
	case <-u.over:
		return approval.Decision{}, errGone
	}
}

// Steer returns the next message that the person has sent during the exchange, if no command
// comes before it.
func (u *UI) Steer() (run.Input, bool) {
	text, ok := u.model.out.waiting.next(true)
	return run.Input{Text: text}, ok
}

// Prompt waits for the person's next message. It returns io.EOF when the person has
// ended the input or the terminal is gone.
func (u *UI) Prompt(ctx context.Context) (run.Input, error) {
	if u.model.o.Chosen != nil {
		u.post(chosen(u.model.o.Chosen()))
	}
	u.post(view.Action{Do: view.Prompted})
	select {
	case line := <-u.lines:
		return run.Input{Text: line}, nil
	case <-ctx.Done():
		return run.Input{}, ctx.Err()
	case <-u.eof:
		return run.Input{}, io.EOF
	case <-u.over:
		return run.Input{}, io.EOF
	}
}
