// Package view has golem's one reducer: it turns the events of a run and the actions of a
// person into a value, State, with everything that the person sees of a session or of a
// kept trace. Plain lines, the tree of a run, the full screen, golem trace and the viewer
// of traces draw from it. It draws nothing and waits for nothing. testdata/cases.json has
// its test cases, which the page's reducer passes, too.
package view

import (
	"encoding/json"
	"strings"
	"time"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/trace"
	"golem/core/ui"
)

// Kind is the kind of an Item of the transcript.
type Kind string

// The kinds of items.
const (
	You     Kind = "you"     // a message of the person
	Golem   Kind = "golem"   // the text of one turn of the root worker
	Thought Kind = "thought" // what the model of the root worker reasons in one turn
	CallOf  Kind = "call"    // a call that the root worker made
	Notice  Kind = "notice"  // a line of golem's own
)

// Item is one thing in the transcript.
type Item struct {
	Kind  Kind
	ID    string // of the call
	Level string // of a notice: info, warn, error
	Over  bool   // the text is complete
	// Voids counts how often the text was replaced, for example because a stream broke off.
	Voids int
	Files []trace.FileRef // that go with a message of the person
	// About is the event that a notice tells of; nil for a line of the host.
	About trace.Body
	Begun time.Time       // of reasoning: when its first piece came
	Spent *trace.Reasoned // of reasoning that is over; nil: it is not known
	N     int             // of a message of the person: its number in the conversation, from 1; 0: it has none
	text  strings.Builder
}

// Earlier returns an item of a conversation that goes on: a complete text.
func Earlier(kind Kind, text string, files []trace.FileRef) *Item {
	it := &Item{Kind: kind, Level: "info", Over: true, Files: files}
	it.text.WriteString(text)
	return it
}

// Text returns the item's text so far. It is not escaped.
func (i *Item) Text() string { return i.text.String() }

// Status is the state of a call or of the session.
type Status string

// Statuses. A call also has those of trace.ToolEnd.
const (
	Idle    Status = ""        // nothing has begun
	Waiting Status = "waiting" // a conversation waits for the person
	Pending Status = "pending"
	Running Status = "running"
	OK      Status = "ok"
	Denied  Status = "denied"

	needsInput Status = "needs_input"
)

// worker is the Call.Kind of a worker.
const worker = "worker"

// Call is one call: a tool, or a worker and its run.
type Call struct {
	ID       string
	Parent   *Call           // nil for the root
	Depth    int             // how deep the worker is that makes the call
	Name     string          // for people: the worker if there is one, else the tool
	Tool     string          // as it was called; "" for the root
	Kind     string          // builtin, wasm or worker; "" while it is not known
	Args     json.RawMessage // of the root: the run's input
	Task     string          // the worker's input in a few words
	Status   Status
	End                      // zero until it ended
	Started  string          // the time of its first event, as in a trace
	Begun    time.Time       // when that event came
	Asked    bool            // a person was asked about it
	Answered bool            // a person answered
	Approval *trace.Approval // the gate's decision
	Notes    []trace.Body    // warnings, errors, repeated requests and messages while it ran
	Run      Run             // of a worker
	Folded   bool            // the person hides the calls below it
	Children []*Call         // in the order of the calls

	line string
}

// End says how a call ended.
type End struct {
	Summary string          // the tool's summary of its result, or why the call did not succeed; not with State.Whole
	Output  json.RawMessage // only with State.Whole
	Parts   []trace.Part    // of the output; only with State.Whole
	Error   *fault.Fault
	Fuel    int64
	MS      int64 // how long the call took
}

// Run is the run of a worker.
type Run struct {
	Worker, Source, Model string
	Status                Status // how it ended; "" until then
	Turns                 []Turn
	Requested             time.Time   // when its model got the request that is not answered yet; zero: there is none
	Thinking              bool        // its model got a request and has not begun to answer
	Own                   trace.Usage // of the worker's own requests
	All                   trace.Usage // of the worker's own requests and of those below it
	// Used and UsedOwn are what the trace says at the end of the run; UsedOwn is nil if it is
	// the same.
	Used, UsedOwn *trace.Usage
}

// Turn is one request to a model and its answer.
type Turn struct {
	Turn     int         `json:"turn"`
	Model    string      `json:"model,omitempty"`
	Finish   string      `json:"finish,omitempty"` // "" if no answer came
	Text     string      `json:"text,omitempty"`   // only with State.Whole
	Calls    int         `json:"calls,omitempty"`
	Usage    trace.Usage `json:"usage"`
	Attempts int         `json:"attempts,omitempty"`
	// Reasoning says how long and how much the model reasoned before it answered; nil: it is
	// not known, or it did not.
	Reasoning *trace.Reasoned `json:"reasoning,omitempty"`
	Started   string          `json:"started,omitempty"`
	MS        int64           `json:"ms"`
}

// Over reports whether the call has ended.
func (c *Call) Over() bool { return c.Status != Pending && c.Status != Running }

// IsWorker reports whether the call is one of a worker.
func (c *Call) IsWorker() bool { return c.Kind == worker }

// Called returns the name of the call in a trace: of the tool as it was called, or of the
// worker if nothing called it.
func (c *Call) Called() string {
	if c.Tool != "" {
		return c.Tool
	}
	return c.Run.Worker
}

// Line returns the call and its arguments on one line: `read_file(path: "/a.txt")`.
func (c *Call) Line() string {
	if c.line == "" {
		name := c.Tool
		if name == "" {
			name = c.Name
		}
		c.line = ui.CallLine(name, c.Args)
	}
	return c.line
}

// Outcome returns how the call ended, as a trace says it: a worker that ended with a
// question needs input, although its call is ok. It returns "" if the call has not ended.
func (c *Call) Outcome() Status {
	switch {
	case !c.Over() || c.Status == OK && c.Run.Status == needsInput:
		return c.Run.Status
	}
	return c.Status
}

// Used returns what a worker and all below it used: what the trace says, or the sum of the
// worker's own requests if it has not ended.
func (c *Call) Used() trace.Usage {
	if c.Run.Used != nil {
		return *c.Run.Used
	}
	return c.Run.Own
}

// Walk calls visit for the call and all calls below it, callers first, in the order of ids.
func (c *Call) Walk(visit func(*Call)) {
	visit(c)
	for _, child := range c.Children {
		child.Walk(visit)
	}
}

// Exchange is what a person sends and what comes of it, up to the next prompt.
type Exchange struct {
	Begun   time.Time
	Moved   time.Time // when it began, or a request or a call in it last ended
	Stop    bool      // the person asked to end it
	Command bool      // it is a command: the run's input is not a message and is not shown
}

// State has everything that a person sees of a session. The zero value is a session that
// has not begun. Use it from one goroutine.
type State struct {
	Exchange        // the current one
	Whole    bool   // keeps arguments, results and texts of all calls, to read a trace
	Worker   string // ID of the root worker
	Model    string // of the root worker
	Status   Status
	// Permission is what workers may do without asking; "": nobody has changed it.
	Permission approval.Permission
	Items      []*Item
	Usage      trace.Usage
	Asking     *approval.Request
	Pending    int  // staged items that wait for the person
	Resumed    bool // the run resumes a conversation: its input is an old message and is not shown

	root   *Call
	calls  map[string]*Call
	turn   *Item           // the root's text that is arriving; nil: none
	thinks *Item           // the root's reasoning in this turn; nil: none
	staged map[string]bool // items that wait for the person, according to the run's events
}

// Read returns the whole state after the events of a trace. It never fails: a call whose
// caller is missing is placed below the nearest known caller; what the events do not tell
// stays empty.
func Read(events []trace.Event) *State {
	s := &State{Whole: true}
	for _, e := range events {
		s.Event(e, time.Time{})
	}
	return s
}

// Root returns the root call, also if nothing is known of it yet.
func (s *State) Root() *Call {
	if s.root == nil {
		s.root = &Call{ID: rootID, Status: Pending}
	}
	return s.root
}

// Call returns a call by its id; nil if nothing is known of it.
func (s *State) Call(id string) *Call { return s.calls[id] }

// Asked reports whether a person was asked about the call with this id.
func (s *State) Asked(id string) bool { return s.calls[id] != nil && s.calls[id].Asked }

// Staged returns how many changes the run has staged that still wait for the person.
func (s *State) Staged() int { return len(s.staged) }

// Action is something that a person, or the host for the person, does.
type Action struct {
	Do      string            `json:"do"` // one of the constants below
	ID      string            `json:"id,omitempty"`
	Text    string            `json:"text,omitempty"`
	Request *approval.Request `json:"request,omitempty"`
}

// What Action.Do can be.
const (
	Prompted = "prompt"   // the conversation waits for a message
	Stopped  = "stop"     // the person ends the exchange
	Asked    = "asked"    // the person is asked Request
	Answered = "answered" // the person answered, or the question was withdrawn
	Fold     = "fold"     // hides or shows the calls below the call ID
	Told     = "tell"     // the host shows the line Text; ID is its level
)

// Act updates the state with an action. An unknown action changes nothing.
func (s *State) Act(a Action) {
	switch a.Do {
	case Prompted:
		s.Status, s.Stop, s.Command = Waiting, false, false
		if c := s.calls[rootID]; c != nil {
			c.Status, c.Run.Thinking, c.Run.Requested = Pending, false, time.Time{}
		}
		s.endText()
	case Stopped:
		s.Stop = s.Status == Running
	case Asked:
		s.Asking = a.Request
		if c := s.calls[a.Request.Call]; c != nil {
			c.Asked = true
		}
	case Answered:
		s.Asking = nil
	case Fold:
		if c := s.calls[a.ID]; c != nil {
			c.Folded = !c.Folded
		}
	case Told:
		s.notice(a.ID, a.Text, nil)
	}
}

// Begin begins an exchange: what the person sent is on its way.
func (s *State) Begin(at time.Time) { s.Status, s.Begun, s.Moved, s.Stop = Running, at, at, false }

// endText marks the text and the reasoning as complete, at the end of a turn or of an
// exchange that was interrupted.
func (s *State) endText() {
	if s.turn != nil {
		s.turn.Over, s.turn = true, nil
	}
	s.endThought()
}

func (s *State) endThought() {
	if s.thinks != nil {
		s.thinks.Over, s.thinks = true, nil
	}
}

const rootID = "0"

// Busy returns the calls that the session waits for, in the order of their ids: tools that
// run, and workers whose model was asked or that have no running call below them.
func (s *State) Busy() []*Call {
	var out []*Call
	var walk func(c *Call) bool
	walk = func(c *Call) bool {
		if c.Over() || c.Status == Pending && c.ID != rootID {
			return false
		}
		below := false
		at := len(out)
		for _, child := range c.Children {
			below = walk(child) || below
		}
		if c.Run.Thinking || !below && c.ID != rootID {
			out = append(out[:at:at], append([]*Call{c}, out[at:]...)...)
			return true
		}
		return below
	}
	if root := s.calls[rootID]; root != nil {
		walk(root)
	}
	return out
}

// Counts returns the number of worker runs, including the root, and of tool calls.
func (s *State) Counts() (workers, calls int) {
	for _, c := range s.calls {
		if c.IsWorker() || c.ID == rootID {
			workers++
		} else {
			calls++
		}
	}
	return workers, calls
}
