package report

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"

	"golem/core/trace"
	"golem/core/ui/view"
)

// Comparison lists the differences between two runs, call by call (golem trace diff).
// Durations are shown, but they do not count as differences, because they are never the
// same.
type Comparison struct {
	Golem string `json:"golem"` // "trace-diff"
	V     int    `json:"v"`     // 1
	A     Side   `json:"a"`     // the first run
	B     Side   `json:"b"`     // the second run
	Same  bool   `json:"same"`  // there are no differences
	// In the order of the calls and turns: the first one shows where the two runs begin to
	// differ.
	Differences []Difference `json:"differences"`
}

// Side has the totals of one of the two runs.
type Side struct {
	Run    string          `json:"run"`              // its name
	Entry  string          `json:"entry"`            // the first worker
	Status string          `json:"status"`           // how it ended
	MS     int64           `json:"ms"`               // milliseconds
	Usage  trace.Usage     `json:"usage"`            // tokens and cost
	Turns  int             `json:"turns"`            // of all workers
	Calls  int             `json:"calls"`            // of all workers
	Output json.RawMessage `json:"output,omitempty"` // the answer
}

// Difference is one difference in a call or a turn. If a run does not have the call or
// the turn, its id is "" and What is "call" or "turn".
type Difference struct {
	IDA    string `json:"id_a,omitempty"`   // the call in the first run
	IDB    string `json:"id_b,omitempty"`   // the call in the second run
	Worker string `json:"worker,omitempty"` // that made the call or the turn
	Name   string `json:"name"`             // of the call
	Turn   int    `json:"turn,omitempty"`   // its number, from 1; 0: the difference is in the call
	// The part that differs: call, turn, name, model, input, approval, text, finish, tokens,
	// cost, note, status, error or output.
	What string `json:"what"`
	A    string `json:"a,omitempty"` // in the first run
	B    string `json:"b,omitempty"` // in the second run
}

// Compare compares two traces; ha and a are the header and the events of the first.
func Compare(ha trace.Header, a []trace.Event, hb trace.Header, b []trace.Event) Comparison {
	ra, rb := view.Read(a).Root(), view.Read(b).Root()
	d := Comparison{Golem: "trace-diff", V: 1, A: sideOf(ha, ra), B: sideOf(hb, rb), Differences: []Difference{}}
	d.node(ra, rb, "")
	d.Same = len(d.Differences) == 0
	return d
}

func sideOf(h trace.Header, root *view.Call) Side {
	s := Side{Run: h.Run, Entry: h.Entry, Status: string(root.Outcome()), MS: root.MS, Usage: root.Used(), Output: root.Output, Calls: -1}
	root.Walk(func(c *view.Call) {
		s.Calls++
		s.Turns += len(c.Run.Turns)
	})
	return s
}

// node compares a call of one run with the same call of the other, and the calls below
// them.
func (d *Comparison) node(a, b *view.Call, worker string) {
	at := Difference{IDA: a.ID, IDB: b.ID, Worker: worker, Name: a.Called()}
	d.text(at, "name", a.Called(), b.Called())
	d.text(at, "model", a.Run.Model, b.Run.Model)
	d.json(at, "input", a.Args, b.Args)
	d.text(at, "approval", decided(a.Approval), decided(b.Approval))
	if a.Run.Worker != "" {
		worker = a.Run.Worker
	}
	at.Worker = worker
	pairs := align(a.Children, b.Children)
	for i := range max(len(a.Run.Turns), len(b.Run.Turns)) {
		calls := d.compareTurn(at, a, b, i)
		for ; calls > 0 && len(pairs) > 0; pairs = pairs[1:] {
			d.pair(pairs[0], worker)
			if pairs[0][0] != nil {
				calls--
			}
		}
	}
	for _, p := range pairs {
		d.pair(p, worker)
	}
	notes, others := Notes(a), Notes(b)
	for i := range max(len(notes), len(others)) {
		one, other := note(notes, i), note(others, i)
		if one.timeless == "" || one.timeless != other.timeless {
			d.text(at, "note", one.Text, other.Text)
		}
	}
	d.text(at, "status", string(a.Outcome()), string(b.Outcome()))
	d.text(at, "error", failure(a), failure(b))
	d.json(at, "output", a.Output, b.Output)
	d.text(at, "tokens", tokens(a.Used()), tokens(b.Used()))
	d.text(at, "cost", a.Used().CostText(), b.Used().CostText())
}

// compareTurn compares the i-th turns of the worker, and returns the number of calls that a's
// turn made.
func (d *Comparison) compareTurn(at Difference, a, b *view.Call, i int) (calls int) {
	at.Turn = i + 1
	switch {
	case i >= len(a.Run.Turns):
		at.IDA = ""
		d.add(at, "turn", "", b.Run.Turns[i].Text)
		return 0
	case i >= len(b.Run.Turns):
		at.IDB = ""
		d.add(at, "turn", a.Run.Turns[i].Text, "")
		return a.Run.Turns[i].Calls
	}
	x, y := a.Run.Turns[i], b.Run.Turns[i]
	if a.Run.Model == b.Run.Model { // otherwise node reported the difference already
		d.text(at, "model", x.Model, y.Model)
	}
	d.text(at, "text", x.Text, y.Text)
	d.text(at, "finish", x.Finish, y.Finish)
	return x.Calls
}

// pair compares two calls, or reports that only one run has the call.
func (d *Comparison) pair(p [2]*view.Call, worker string) {
	switch a, b := p[0], p[1]; {
	case b == nil:
		d.add(Difference{IDA: a.ID, Worker: worker, Name: a.Called()}, "call", string(a.Args), "")
	case a == nil:
		d.add(Difference{IDB: b.ID, Worker: worker, Name: b.Called()}, "call", "", string(b.Args))
	default:
		d.node(a, b, worker)
	}
}

func (d *Comparison) add(at Difference, what, a, b string) {
	at.What, at.A, at.B = what, a, b
	d.Differences = append(d.Differences, at)
}

func (d *Comparison) text(at Difference, what, a, b string) {
	if a != b {
		d.add(at, what, a, b)
	}
}

// json compares two JSON values. The order of their fields does not matter.
func (d *Comparison) json(at Difference, what string, a, b json.RawMessage) {
	if bytes.Equal(a, b) {
		return
	}
	var x, y any
	if json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y) {
		return
	}
	d.add(at, what, plain(a), plain(b))
}

// decided returns the gate's decision about a call as text, without the rule that made
// it.
func decided(a *trace.Approval) string {
	if a == nil {
		return ""
	}
	return approvalText(*a, 400)
}

func note(all []Note, i int) Note {
	if i >= len(all) {
		return Note{}
	}
	return all[i]
}

func failure(c *view.Call) string {
	if c.Error == nil {
		return ""
	}
	return joinCode(c.Error.Code, c.Error.Message)
}

// maxAlign is the largest number of calls of one worker that align aligns. If there are
// more, it pairs the calls by their position.
const maxAlign = 400

// align pairs the calls of a worker with its calls in the other run. It keeps the order
// and pairs as many calls of the same name as possible. nil means that a run does not
// have the call.
func align(a, b []*view.Call) [][2]*view.Call {
	var out [][2]*view.Call
	if len(a) > maxAlign || len(b) > maxAlign {
		for i := range max(len(a), len(b)) {
			var p [2]*view.Call
			if i < len(a) {
				p[0] = a[i]
			}
			if i < len(b) {
				p[1] = b[i]
			}
			out = append(out, p)
		}
		return out
	}
	best := make([][]int, len(a)+1) // the largest sum of alike for pairs from a[i:] and b[j:]
	for i := range best {
		best[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if w := alike(a[i], b[j]); w > 0 {
				best[i][j] = max(best[i][j], w+best[i+1][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && alike(a[i], b[j]) > 0 && best[i][j] == alike(a[i], b[j])+best[i+1][j+1]:
			out = append(out, [2]*view.Call{a[i], b[j]})
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || best[i][j] == best[i+1][j]):
			out = append(out, [2]*view.Call{a[i], nil})
			i++
		default:
			out = append(out, [2]*view.Call{nil, b[j]})
			j++
		}
	}
	return out
}

// alike returns 0 for calls of different names, 3 for calls with the same input, else 2.
func alike(a, b *view.Call) int {
	switch {
	case a.Called() != b.Called():
		return 0
	case bytes.Equal(a.Args, b.Args):
		return 3
	}
	return 2
}

// placeText returns where the difference is: "0.2 read_file" or "0 main, turn 3".
func (d Difference) placeText() string {
	id := d.IDA
	switch {
	case id == "":
		id = d.IDB
	case d.IDB != "" && d.IDB != id:
		id += "/" + d.IDB
	}
	text := id + " " + d.Name
	if d.Turn > 0 {
		text += ", turn " + strconv.Itoa(d.Turn)
	}
	return trace.Visible(text)
}
