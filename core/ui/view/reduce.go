package view

import (
	"bytes"
	"cmp"
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
		s.Root().start(e)
		s.Begin(at)
		if s.Whole {
			s.root.Args = b.Input
		}
		if !s.Resumed && !s.Command {
			s.addMessage(text(b.Input), b.Files, true)
		}
	case trace.RunEnd:
		s.Status, s.Usage = Status(b.Status), b.Usage
		c, used := s.Root(), b.Usage
		c.Status, c.Error, c.MS, c.Run.Used = s.Status, b.Error, b.MS, &used
		s.output(c, b.Output, nil)
		s.endText()
	case trace.Message:
		s.note(e)
		if b.Steering {
			s.addMessage(b.Text, b.Files, false)
			return
		}
		s.Begin(at)
		if b.Role == "user" && !s.Command {
			s.addMessage(b.Text, b.Files, true)
		}
	case trace.Permission:
		s.Permission = approval.Permission(b.Permission)
	case trace.Warning, trace.Error, trace.Status, trace.Retry, trace.Clearance, trace.Fallback:
		s.addNotice(e)
	case trace.Ask:
		var r approval.Request
		if json.Unmarshal(b.Request, &r) == nil {
			s.Asking = &r
			s.call(e.ID).Asked = true
		}
	case trace.Approval:
		c := s.started(e)
		if b.Source == "user" {
			s.Asking = nil
			c.Answered = true
		}
		if b.Kind != "" {
			s.note(e)
		} else {
			c.Approval = &b
		}
	default:
		s.work(e, at)
	}
}

// work updates the state with an event of a worker, a model or a tool.
func (s *State) work(e trace.Event, at time.Time) {
	switch b := e.Body.(type) {
	case trace.WorkerStart:
		c := s.begun(e, at)
		c.Kind, c.Name = worker, e.Worker
		c.Run.Worker, c.Run.Source, c.Run.Model = e.Worker, b.Source, b.Model
		if e.ID == rootID {
			s.Worker, s.Model = e.Worker, b.Model
		}
	case trace.WorkerEnd:
		s.workerEnd(s.started(e), b)
	case trace.ModelStart:
		c := s.begun(e, at)
		if c.ID == rootID {
			s.endThought()
		}
		c.Run.Thinking, c.Run.Requested = true, at
		c.Run.Turns = append(c.Run.Turns, Turn{Turn: b.Turn, Started: e.TS})
	case trace.Delta:
		s.delta(e.ID, b)
	case trace.Reasoning:
		s.reasoning(e.ID, b, at)
	case trace.ModelEnd:
		s.Moved = at
		s.modelEnd(s.started(e), b)
	case trace.Progress:
		c := s.call(e.ID)
		c.Kind = worker
		if c.Name == "" {
			c.Name = b.Description
		}
		if c.Task == "" { // the task from the call's arguments is easier to read
			c.Task = b.Task
		}
	case trace.ToolStart:
		s.toolStart(e, b, at)
	case trace.ToolEnd:
		s.Moved = at
		s.toolEnd(s.started(e), b)
	}
}

func (s *State) toolStart(e trace.Event, b trace.ToolStart, at time.Time) {
	c := s.begun(e, at)
	c.Name, c.Tool, c.Kind, c.Begun, c.line = b.Tool, b.Tool, b.Kind, at, ""
	if c.Args = b.Args; !s.Whole {
		c.Args = slices.Clone(b.Args)
	}
	if len(b.Args) > maxArgs && !s.Whole {
		_ = c.Line()
		c.Args = nil
	}
	if c.IsWorker() {
		c.Task = ui.TaskLine(b.Args)
	}
	if parentOf(e.ID) == rootID || e.ID == rootID {
		s.inOrder(&Item{Kind: CallOf, ID: e.ID})
	}
}

// maxArgs is the largest size in bytes of arguments that are kept in a live session. Of
// others, such as the content of a large file, only the line is kept.
const maxArgs = 4 << 10

func (s *State) toolEnd(c *Call, b trace.ToolEnd) {
	if c.Tool == "" && c.Run.Worker == "" {
		c.Tool = b.Tool
	}
	c.Status, c.Error, c.MS, c.Fuel = Status(b.Status), b.Error, b.MS, b.Fuel
	c.Run.Thinking, c.Run.Requested = false, time.Time{}
	s.output(c, b.Result, b.Parts)
	switch {
	case s.Whole: // Output and Error have it
	case c.Status == OK:
		c.Summary = ui.Summary(b.Result)
	default:
		c.Summary = ui.WhyNot(b)
	}
}

func (s *State) workerEnd(c *Call, b trace.WorkerEnd) {
	used := b.Usage
	c.Run.Status, c.Run.Used, c.Run.UsedOwn = Status(b.Status), &used, b.Own
	c.Run.Thinking, c.Run.Requested = false, time.Time{}
	if !c.Over() {
		c.Error, c.MS = b.Error, b.MS
		s.output(c, b.Output, nil)
	}
	if c.ID == rootID { // the end of another worker's call comes with tool.end
		c.Status = c.Run.Status
	}
}

func (s *State) output(c *Call, value json.RawMessage, parts []trace.Part) {
	if s.Whole {
		c.Output, c.Parts = value, parts
	}
}

// addNotice adds the notice of an event, and notes the event with its call.
func (s *State) addNotice(e trace.Event) {
	switch b := e.Body.(type) {
	case trace.Warning:
		s.notice(cmp.Or(b.Level, "warn"), b.Message, b)
	case trace.Fallback:
		s.notice("info", b.Text(), b)
	case trace.Error:
		s.notice("error", faultText(fault.Fault{Code: b.Code, Message: b.Message, Where: b.Where, Hint: b.Hint}), b)
	case trace.Status:
		if b.Before > 0 {
			s.backTo(b.Before)
		}
		s.notice(b.Level, b.Text, b)
		return
	case trace.Retry:
		why := string(b.Code)
		if b.Message != "" {
			why += ": " + b.Message
		}
		s.notice("warn", fmt.Sprintf("trying again in %s s: attempt %d failed (%s)", tenths(b.WaitMS), b.Attempt, why), b)
	case trace.Clearance:
		s.clearance(b)
	}
	s.note(e)
}

// tenths returns milliseconds as seconds with one decimal. Of two equally near ones it takes
// the larger one, as the page does.
func tenths(ms int64) string {
	if ms%1000 == 250 { // the only half that would become the smaller one
		ms++
	}
	return fmt.Sprintf("%.1f", float64(ms)/1000)
}

// note keeps an event with its call. The root's first ones can come before it begins.
func (s *State) note(e trace.Event) {
	c := s.Root()
	if e.ID != "" && e.ID != rootID {
		c = s.call(e.ID)
	}
	c.start(e)
	c.Notes = append(c.Notes, e.Body)
}

// begun returns the call of an event that says that it runs.
func (s *State) begun(e trace.Event, at time.Time) *Call {
	c := s.started(e)
	c.Status = Running
	if c.Begun.IsZero() {
		c.Begun = at
	}
	return c
}

// started returns the call of an event that a trace keeps.
func (s *State) started(e trace.Event) *Call {
	c := s.call(e.ID)
	c.start(e)
	return c
}

// start sets when a call started, by its first event.
func (c *Call) start(e trace.Event) {
	if c.Started == "" {
		c.Started, c.Depth = e.TS, e.Depth
	}
}

// call returns the call with this id. If it is not known yet, call adds it to the children
// of the nearest known caller, in the order of their ids, and places those of them below it
// that it made.
func (s *State) call(id string) *Call {
	if c := s.calls[id]; c != nil {
		return c
	}
	if s.calls == nil {
		s.calls = map[string]*Call{}
	}
	if id == "" || id == rootID {
		s.calls[rootID] = s.Root()
		return s.root
	}
	c := &Call{ID: id, Status: Pending, Parent: s.caller(id)}
	s.calls[id] = c
	all := c.Parent.Children
	from, _ := slices.BinarySearchFunc(all, id, func(x *Call, id string) int { return trace.CompareID(x.ID, id) })
	end := from
	for ; end < len(all) && strings.HasPrefix(all[end].ID, id+"."); end++ {
		all[end].Parent = c
		c.Run.All = c.Run.All.Plus(all[end].Run.All)
	}
	c.Children = slices.Clone(all[from:end])
	c.Parent.Children = slices.Replace(all, from, end, c)
	return c
}

// caller returns the nearest known caller of a call. Calls with too long ids are placed
// below the root.
func (s *State) caller(id string) *Call {
	for len(id) <= maxID {
		if id = parentOf(id); id == "" {
			break
		}
		if c := s.calls[id]; c != nil {
			return c
		}
	}
	return s.call(rootID)
}

// maxID is the longest id in bytes, which also limits the depth of the tree.
const maxID = 512

// parentOf returns the id of the call that made a call; "" for the root.
func parentOf(id string) string {
	return id[:max(strings.LastIndexByte(id, '.'), 0)]
}

func (s *State) modelEnd(c *Call, b trace.ModelEnd) {
	c.Run.Thinking, c.Run.Requested = false, time.Time{}
	c.Run.Own = c.Run.Own.Plus(b.Usage)
	s.Usage = s.Usage.Plus(b.Usage)
	for up := c; up != nil; up = up.Parent {
		up.Run.All = up.Run.All.Plus(b.Usage)
	}
	c.Run.endTurn(b, s.Whole)
	if c.ID != rootID {
		return
	}
	if s.thinks != nil && b.Reasoning != nil {
		s.thinks.Spent = b.Reasoning
	}
	if b.Text == "" && s.turn == nil {
		s.endText()
		return
	}
	it := s.saying()
	if it.Text() != b.Text && b.Text != "" {
		it.text.Reset()
		it.text.WriteString(b.Text)
		it.Voids++
	}
	s.endText()
}

// endTurn completes the last turn that began with that number.
func (r *Run) endTurn(b trace.ModelEnd, whole bool) {
	t := Turn{Turn: b.Turn, Model: b.Model, Finish: b.Finish, Calls: len(b.Calls), Usage: b.Usage, Attempts: b.Attempts, Reasoning: b.Reasoning, MS: b.MS}
	if whole {
		t.Text = b.Text
	}
	if last := len(r.Turns) - 1; last >= 0 && r.Turns[last].Turn == b.Turn && r.Turns[last].Finish == "" {
		t.Started = r.Turns[last].Started
		r.Turns[last] = t
		return
	}
	r.Turns = append(r.Turns, t)
}

func (s *State) clearance(b trace.Clearance) {
	switch {
	case b.Error != nil:
		s.notice("error", fmt.Sprintf("%s of item %s: %s", b.Action, b.Item, faultText(*b.Error)), b)
		return
	case b.Action == "staged":
		if s.staged == nil {
			s.staged = map[string]bool{}
		}
		s.staged[b.Item] = true
	default:
		delete(s.staged, b.Item)
	}
	if b.Action == "pending" {
		s.Pending = max(len(b.Items), 1)
		s.notice("info", "[!] "+b.Message, b)
		return
	}
	s.notice("info", strings.TrimSpace(fmt.Sprintf("%s: item %s %s", b.Action, b.Item, b.Message)), b)
}

// faultText returns a fault for people, who do not need the column of its place.
func faultText(f fault.Fault) string {
	if f.Where != nil {
		f.Where = &fault.Where{File: f.Where.File, Line: f.Where.Line}
	}
	return f.Error()
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
