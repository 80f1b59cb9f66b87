// Package view has a reducer: it turns the events of a run and the actions of a person into
// a value, State, with everything that the person sees of a session. It draws nothing and
// waits for nothing, so a terminal and tests can share it. testdata/cases.json has its test
// cases, which the page's reducer passes, too.
package view

import (
	"encoding/json"
	"strings"
	"time"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/trace"
)

// Kind is the kind of an Item of the transcript.
type Kind string

// The kinds of items.
const (
	You    Kind = "you"    // a message of the person
	Golem  Kind = "golem"  // the text of one turn of the root worker
	CallOf Kind = "call"   // a call that the root worker made
	Notice Kind = "notice" // a line of golem's own
)

// Item is one thing in the transcript.
type Item struct {
	Kind  Kind
	ID    string // of the call
	Level string // of a notice: info, warn, error
	Over  bool   // the text is complete
	// Voids counts how often the text was replaced, for example because a stream broke off.
	Voids int
	text  strings.Builder
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
)

// Call is one call: a worker, or a tool.
type Call struct {
	ID, Parent string
	Name       string
	Worker     bool
	Task       string // the worker's input in a few words
	Args       json.RawMessage
	Status     Status
	Summary    string // the tool's summary of its result, or why the call did not succeed
	Answered   bool   // a person answered a question about it
	Error      *fault.Fault
	Begun      time.Time
	MS         int64 // how long it took; set when it is over
	Model      string
	Turns      int
	Thinking   bool        // its model was asked and has not begun to answer
	Own        trace.Usage // of the worker's own requests
	All        trace.Usage // of the worker's own requests and of those below it
	Folded     bool        // the person hides the calls below it
	Children   []string    // in the order of the calls
}

// Over reports whether the call has ended.
func (c *Call) Over() bool { return c.Status != Pending && c.Status != Running }

// State has everything that a person sees of a session. The zero value is a session that
// has not begun. Use it from one goroutine.
type State struct {
	Worker  string // ID of the root worker
	Model   string // of the root worker
	Status  Status
	Stop    bool // the person asked to end the current exchange
	Items   []*Item
	Usage   trace.Usage
	Begun   time.Time // when the current exchange began
	Asking  *approval.Request
	Pending int  // staged items that wait for the person
	Resumed bool // the run resumes a conversation: its input is an old message and is not shown
	Command bool // a command of the person runs: the run's input is not a message and is not shown

	calls map[string]*Call
	turn  map[string]*Item // the text that is arriving, by call
}

// Call returns a call by its id; nil if there is none.
func (s *State) Call(id string) *Call { return s.calls[id] }

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
			c.Status, c.Thinking = Pending, false
		}
		s.settle()
	case Stopped:
		s.Stop = s.Status == Running
	case Asked:
		s.Asking = a.Request
	case Answered:
		s.Asking = nil
	case Fold:
		if c := s.calls[a.ID]; c != nil {
			c.Folded = !c.Folded
		}
	case Told:
		s.notice(a.ID, a.Text)
	}
}

// settle marks texts as complete that an interrupted exchange left open.
func (s *State) settle() {
	for id, it := range s.turn {
		it.Over = true
		delete(s.turn, id)
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
		for _, id := range c.Children {
			below = walk(s.calls[id]) || below
		}
		if c.Thinking || !below && c.ID != rootID {
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
		if c.Worker || c.ID == rootID {
			workers++
		} else {
			calls++
		}
	}
	return workers, calls
}
