package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/trace"
	"golem/core/ui"
)

// Event updates the state with an event; at is the time at which it came. An event of an
// unknown type changes nothing.
func (s *State) Event(e trace.Event, at time.Time) {
	switch b := e.Body.(type) {
	case trace.RunStart:
		s.begin(at)
		if !s.Resumed && !s.Command {
			s.you(text(b.Input))
		}
	case trace.RunEnd:
		s.Status, s.Usage = Status(b.Status), b.Usage
		s.settle()
	case trace.Message:
		s.begin(at)
		if b.Role == "user" && !s.Command {
			s.you(b.Text)
		}
	case trace.Warning:
		s.notice("warn", b.Message)
	case trace.Error:
		s.notice("error", faultText(&fault.Fault{Code: b.Code, Message: b.Message, Where: b.Where, Hint: b.Hint}))
	case trace.Status:
		s.notice(b.Level, b.Text)
	case trace.Retry:
		why := string(b.Code)
		if b.Message != "" {
			why += ": " + b.Message
		}
		s.notice("warn", fmt.Sprintf("trying again in %.1f s: attempt %d failed (%s)", float64(b.WaitMS)/1000, b.Attempt, why))
	case trace.Clearance:
		s.clearance(b)
	case trace.Ask:
		var r approval.Request
		if json.Unmarshal(b.Request, &r) == nil {
			s.Asking = &r
		}
	case trace.Approval:
		if b.Source == "user" {
			s.Asking = nil
			s.call(e.ID).Answered = true
		}
	default:
		s.work(e, at)
	}
}

// work updates the state with an event of a worker, a model or a tool.
func (s *State) work(e trace.Event, at time.Time) {
	switch b := e.Body.(type) {
	case trace.WorkerStart:
		c := s.call(e.ID)
		c.Worker, c.Name, c.Model, c.Status = true, e.Worker, b.Model, Running
		if c.Begun.IsZero() {
			c.Begun = at
		}
		if e.ID == rootID {
			s.Worker, s.Model = e.Worker, b.Model
		}
	case trace.WorkerEnd:
		if c := s.call(e.ID); e.ID == rootID {
			c.Status, c.Error, c.MS, c.Thinking = Status(b.Status), b.Error, b.MS, false
		}
	case trace.ModelStart:
		c := s.call(e.ID)
		c.Turns, c.Thinking, c.Status = b.Turn, true, Running
	case trace.Delta:
		s.delta(e.ID, b)
	case trace.ModelEnd:
		s.modelEnd(e.ID, b)
	case trace.Progress:
		c := s.call(e.ID)
		c.Worker = true
		if c.Name == "" {
			c.Name = b.Description
		}
		if c.Task == "" { // the task from the call's arguments is easier to read
			c.Task = b.Task
		}
	case trace.ToolStart:
		c := s.call(e.ID)
		c.Name, c.Status, c.Begun, c.Args, c.Worker = b.Tool, Running, at, brief(b.Args), b.Kind == "worker"
		if c.Worker {
			c.Task = ui.TaskLine(b.Args)
		}
		if c.Parent == rootID || e.ID == rootID {
			s.inOrder(&Item{Kind: CallOf, ID: e.ID})
		}
	case trace.ToolEnd:
		c := s.call(e.ID)
		c.Status, c.Error, c.MS, c.Thinking = Status(b.Status), b.Error, b.MS, false
		c.Summary = ui.Summary(b.Result)
		if c.Status != OK {
			c.Summary = ui.WhyNot(b)
		}
	}
}

// inOrder adds a call to the transcript. Calls of one turn may begin in any order; they are
// shown in the order in which the turn made them.
func (s *State) inOrder(it *Item) {
	at := len(s.Items)
	for at > 0 && s.Items[at-1].Kind == CallOf && trace.CompareID(s.Items[at-1].ID, it.ID) > 0 {
		at--
	}
	s.Items = slices.Insert(s.Items, at, it)
}

// brief returns a copy of the arguments, or nil if they are too long to keep, such as the
// content of a large file.
func brief(args json.RawMessage) json.RawMessage {
	if len(args) <= maxArgs {
		return slices.Clone(args)
	}
	return nil
}

// maxArgs is the largest size in bytes of arguments that are kept.
const maxArgs = 4 << 10

func (s *State) begin(at time.Time) { s.Status, s.Begun, s.Stop = Running, at, false }

// you adds a message of the person. It ignores a repetition, because the first message of
// a conversation comes twice: as the run's input and as a message.
func (s *State) you(text string) {
	if n := len(s.Items); n > 0 && s.Items[n-1].Kind == You && s.Items[n-1].Text() == text {
		return
	}
	it := &Item{Kind: You, Over: true}
	it.text.WriteString(text)
	s.Items = append(s.Items, it)
}

func (s *State) notice(level, text string) {
	it := &Item{Kind: Notice, Level: level, Over: true}
	it.text.WriteString(text)
	s.Items = append(s.Items, it)
}

// call returns the call with this id. If it is not known yet, call adds it to the children
// of its parent, in the order of their ids.
func (s *State) call(id string) *Call {
	if c := s.calls[id]; c != nil {
		return c
	}
	if s.calls == nil {
		s.calls, s.turn = map[string]*Call{}, map[string]*Item{}
	}
	c := &Call{ID: id, Status: Pending}
	if i := strings.LastIndexByte(id, '.'); i >= 0 {
		c.Parent = id[:i]
	}
	s.calls[id] = c
	if id != rootID {
		up := s.call(c.Parent)
		at, _ := slices.BinarySearchFunc(up.Children, id, trace.CompareID)
		up.Children = slices.Insert(up.Children, at, id)
	}
	return c
}

// saying returns the item with the text of the root's current turn, which it adds if it
// is missing. The texts of other workers are only in the trace.
func (s *State) saying(id string) *Item {
	it := s.turn[id]
	if it == nil {
		it = &Item{Kind: Golem, ID: id}
		s.turn[id] = it
		s.Items = append(s.Items, it)
	}
	return it
}

func (s *State) delta(id string, b trace.Delta) {
	c := s.call(id)
	c.Thinking = false
	if id != rootID {
		return
	}
	it := s.saying(id)
	if b.Reset {
		it.text.Reset()
		it.Voids++
	}
	it.text.WriteString(b.Text)
}

func (s *State) modelEnd(id string, b trace.ModelEnd) {
	c := s.call(id)
	c.Thinking = false
	c.Own = c.Own.Plus(b.Usage)
	s.Usage = s.Usage.Plus(b.Usage)
	for up := c; up != nil; up = s.calls[up.Parent] {
		up.All = up.All.Plus(b.Usage)
	}
	if id != rootID || b.Text == "" && s.turn[id] == nil {
		return
	}
	it := s.saying(id)
	if it.Text() != b.Text && b.Text != "" {
		it.text.Reset()
		it.text.WriteString(b.Text)
		it.Voids++
	}
	it.Over = true
	delete(s.turn, id)
}

func (s *State) clearance(b trace.Clearance) {
	switch {
	case b.Error != nil:
		s.notice("error", fmt.Sprintf("%s of item %s: %s", b.Action, b.Item, faultText(b.Error)))
	case b.Action == "pending":
		s.Pending = max(len(b.Items), 1)
		s.notice("info", "[!] "+b.Message)
	default:
		s.notice("info", strings.TrimSpace(fmt.Sprintf("%s: item %s %s", b.Action, b.Item, b.Message)))
	}
}

func faultText(f *fault.Fault) string {
	out := string(f.Code) + ": " + f.Message
	if f.Where != nil && f.Where.File != "" {
		at := f.Where.File
		if f.Where.Line > 0 {
			at += fmt.Sprintf(":%d", f.Where.Line)
		}
		out = at + ": " + out
	}
	if f.Hint != "" {
		out += " (" + f.Hint + ")"
	}
	return out
}

// text returns a value for people: a string without its quotes, else JSON.
func text(raw json.RawMessage) string {
	var t string
	if json.Unmarshal(raw, &t) == nil {
		return t
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
