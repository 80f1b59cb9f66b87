// Package view is what a person sees of a session, as a value: a reducer makes it
// of the run's events and of what the person does. It draws nothing and waits for
// nothing, so a terminal, a page and tests can share it; testdata/cases.json are
// its cases, which the page's reducer passes too.
package view

import (
	"encoding/json"
	"strings"
	"time"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/trace"
)

// Kind says what an Item of the transcript is.
type Kind string

// The kinds of items.
const (
	You    Kind = "you"    // a message of the person
	Golem  Kind = "golem"  // what the root worker says in one turn
	CallOf Kind = "call"   // a call that the root worker made
	Notice Kind = "notice" // a line of golem's own
)

// Item is one thing in the transcript.
type Item struct {
	Kind  Kind
	ID    string // of the call
	Level string // of a notice: info, warn, error
	Over  bool   // what golem says is complete
	// Voids counts how often the text began again, because a stream broke off.
	Voids int
	text  strings.Builder
}

// Text is the item's text so far, as it came: not escaped.
func (i *Item) Text() string { return i.text.String() }

// Status is where a call or the session is.
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
	Task       string // what a worker is called for
	Args       json.RawMessage
	Status     Status
	Summary    string // what a tool says of its result, or why it did not end well
	Answered   bool   // a person was asked about it
	Error      *fault.Fault
	Begun      time.Time
	MS         int64 // how long it took; set when it is over
	Model      string
	Turns      int
	Thinking   bool        // a model was asked and has not answered
	Own        trace.Usage // of the worker's own requests
	All        trace.Usage // and of those below it
	Folded     bool        // the person wants nothing of what is below
	Children   []string    // in the order of the calls
}

// Over says whether the call has ended.
func (c *Call) Over() bool { return c.Status != Pending && c.Status != Running }

// State is what a person sees. The zero value is a session that has not begun. Use it
// from one goroutine.
type State struct {
	Worker  string // the entry's
	Model   string
	Status  Status
	Stop    bool // the person asked for the end of the exchange under way
	Items   []*Item
	Usage   trace.Usage
	Begun   time.Time // the exchange under way
	Asking  *approval.Request
	Pending int  // staged items that wait for the person
	Resumed bool // the run goes on with a conversation: its input is an old message, not one that was sent now
	Command bool // a command of the person's is carried out: what the run calls its input is none of their messages

	calls map[string]*Call
	turn  map[string]*Item // what is being said, by call
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
	Asked    = "asked"    // Request is put to the person
	Answered = "answered" // and was answered, or is withdrawn
	Fold     = "fold"     // hides or shows what is below the call ID
	Told     = "tell"     // the host has a line for the person: Text, with ID as its level
)

// Act puts what a person does into the state.
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

// settle ends what an interrupted exchange left open.
func (s *State) settle() {
	for id, it := range s.turn {
		it.Over = true
		delete(s.turn, id)
	}
}

const rootID = "0"

// Busy are the calls that something is waited for in, in the order of their ids: tools
// that run, and workers whose model was asked or that have nothing below them that
// runs.
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

// Counts are the workers of the run, the root among them, and the calls of tools.
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
