// Package tui is the full-screen front end of a chat on a terminal: a program that
// draws what core/ui/view says and puts what the person does into it. The session
// runs beside it and knows it as a ui.UI.
//
// What others wrote (models, tools, files) is escaped before it is styled, so it
// never moves the cursor. The screen is drawn when something changed, at most once a
// frame.
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
)

// Options are what a chat's screen needs of the host. The zero value of a field
// leaves out what it is for.
type Options struct {
	Project string // its name, for the header
	Entry   string // the worker that answers
	Model   string
	Mode    string // the approval mode
	Resumed bool   // the chat goes on with a conversation
	In, Out *os.File
	Env     []string
	Color   bool
	// Editor is what messages are written in; nil: a plain one.
	Editor Editor
	// Compose starts the person's own editor on a text; done returns what was written.
	Compose func(text string) (cmd Command, done func() (string, error), err error)
	// Stop ends the exchange under way and reports whether there was one.
	Stop func() bool
	// Leave ends the chat as a Ctrl+C does.
	Leave func()
	// Gone is called once if the terminal goes away.
	Gone func(error)
	Now  func() time.Time // nil: time.Now
	// Clearance has the staged changes of the project, Undo what its runs replaced.
	Clearance, Undo *clearance.Store
	// Notify is what the terminal gets to tell the person of a text, who may be elsewhere;
	// nil or "": nothing.
	Notify func(text string) string
	// Trace makes a viewer of the trace up to now.
	Trace func() (Viewer, error)
}

// frame is the least time between two drawings for events.
const frame = 16 * time.Millisecond

// UI is a chat's screen. Make it with New; Start draws it, Close takes it away. The
// methods of ui.UI may be used from any goroutine.
type UI struct {
	model *model
	lines chan string // what the person sent, and nothing else
	wake  chan struct{}
	over  chan struct{} // closed when the program has ended
	eof   chan struct{} // closed when the person ends the input

	lost sync.Once

	mu      sync.Mutex
	program *tea.Program // that draws now; nil: none
	closed  bool         // by Close
	queue   []any
	err     error
}

var _ ui.UI = (*UI)(nil)

// New makes a screen that is not drawn yet.
func New(o Options) *UI {
	u := &UI{
		lines: make(chan string, 1), wake: make(chan struct{}, 1), over: make(chan struct{}), eof: make(chan struct{}),
	}
	u.model = newModel(o, u)
	return u
}

// Start draws the screen and reads the keys, until Close.
func (u *UI) Start() {
	go func() {
		err := u.run()
		u.mu.Lock()
		u.err = err
		u.mu.Unlock()
		if err != nil {
			u.gone(err) // first: what waits for the person then finds the chat ended
		}
		close(u.over)
	}()
	go u.pump()
}

// run draws until the chat ends, and lets the person's own editor have the terminal in
// between.
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
			_, _ = edit.done() // takes its file away
			return err
		}
		edit.write(u.model)
	}
}

// begin makes the program that draws from now on; nil: the chat was closed.
func (u *UI) begin() *tea.Program {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return nil
	}
	o := u.model.o
	options := []tea.ProgramOption{
		tea.WithInput(input{o.In, u.gone}), tea.WithOutput(o.Out), tea.WithEnvironment(o.Env), tea.WithoutSignalHandler(),
	}
	if !o.Color {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	u.program = tea.NewProgram(u.model, options...)
	return u.program
}

// drawing is the program that draws now; nil: none.
func (u *UI) drawing() *tea.Program {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.program
}

// gone tells the host, once, that the terminal went away.
func (u *UI) gone(err error) {
	u.lost.Do(func() {
		if gone := u.model.o.Gone; gone != nil {
			gone(err)
		}
	})
}

// input is the terminal's keys. A terminal that went away gives an end or an error,
// of which the program takes no notice, and a signal, which nohup holds back.
type input struct {
	*os.File
	gone func(error)
}

// Read reads keys.
func (i input) Read(p []byte) (int, error) {
	n, err := i.File.Read(p)
	if err != nil {
		i.gone(err)
	}
	return n, err
}

// pump tells the program of what waits, at most once a frame.
func (u *UI) pump() {
	for {
		select {
		case <-u.over:
			return
		case <-u.wake:
			if p := u.drawing(); p != nil {
				p.Send(arrived{}) // the next program looks for itself
			}
		}
		select {
		case <-u.over:
			return
		case <-time.After(frame):
		}
	}
}

// Close takes the screen away and gives the terminal back as it was. It returns what
// ended the program before, such as a terminal that went away.
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

// post hands something to the program.
func (u *UI) post(what any) {
	u.mu.Lock()
	u.queue = append(u.queue, what)
	u.mu.Unlock()
	select {
	case u.wake <- struct{}{}:
	default:
	}
}

// take is all that was posted since the last time.
func (u *UI) take() []any {
	u.mu.Lock()
	defer u.mu.Unlock()
	out := u.queue
	u.queue = nil
	return out
}

// arrived says that something was posted.
type arrived struct{}

// event is an event of the run.
type event struct {
	trace.Event
	at time.Time
}

// asked is a question; the answer goes to reply, which has room for it.
type asked struct {
	approval.Request
	reply chan approval.Decision
}

// Emit shows an event.
func (u *UI) Emit(e trace.Event) { u.post(event{e, u.model.now()}) }

// Tell shows a line of golem's own; level is info, warn or error.
func (u *UI) Tell(level, text string) { u.post(view.Action{Do: view.Told, ID: level, Text: text}) }

var errGone = errors.New("the terminal is gone")

// Approve shows a question until it is answered, ctx ends or the terminal is gone.
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

// Prompt waits for the person's next message.
func (u *UI) Prompt(ctx context.Context) (run.Input, error) {
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
