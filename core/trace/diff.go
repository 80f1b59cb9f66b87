package trace

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
)

// Comparison lists the differences between two runs, call by call (golem trace diff).
// Durations are shown, but they do not count as differences, because they are never the
// same.
type Comparison struct {
	Golem string `json:"golem"` // "trace-diff"
	V     int    `json:"v"`     // 1
	A     Side   `json:"a"`
	B     Side   `json:"b"`
	// Same is true if there are no Differences.
	Same bool `json:"same"`
	// Differences are in the order of the calls and turns, so the first one shows where
	// the two runs begin to differ.
	Differences []Difference `json:"differences"`
}

// Side has the totals of one of the two runs.
type Side struct {
	Run    string          `json:"run"`
	Entry  string          `json:"entry"`
	Status string          `json:"status"`
	MS     int64           `json:"ms"`
	Usage  Usage           `json:"usage"`
	Turns  int             `json:"turns"` // of all workers
	Calls  int             `json:"calls"` // of all workers
	Output json.RawMessage `json:"output,omitempty"`
}

// Difference is one difference in a call or a turn. If a run does not have the call or
// the turn, its id is "" and What is "call" or "turn".
type Difference struct {
	IDA    string `json:"id_a,omitempty"`
	IDB    string `json:"id_b,omitempty"`
	Worker string `json:"worker,omitempty"` // that made the call or the turn
	Name   string `json:"name"`             // of the call
	Turn   int    `json:"turn,omitempty"`   // its number, from 1; 0: the difference is in the call
	// What names what differs: call, turn, name, model, input, approval, text, finish,
	// tokens, cost, note, status, error or output.
	What string `json:"what"`
	A    string `json:"a,omitempty"`
	B    string `json:"b,omitempty"`
}

// Compare compares two traces; ha and a are the header and the events of the first.
func Compare(ha Header, a []Event, hb Header, b []Event) Comparison {
	ra, rb := Tree(a), Tree(b)
	d := Comparison{Golem: "trace-diff", V: 1, A: side(ha, ra), B: side(hb, rb), Differences: []Difference{}}
	d.node(ra, rb, "")
	d.Same = len(d.Differences) == 0
	return d
}

func side(h Header, root *Node) Side {
	s := Side{Run: h.Run, Entry: h.Entry, Status: root.Status, MS: root.MS, Usage: root.Usage, Output: root.Output, Calls: -1}
	root.Walk(func(n *Node) {
		s.Calls++
		s.Turns += len(n.Turns)
	})
	return s
}

// node compares a call of one run with the same call of the other, and the calls below
// them.
func (d *Comparison) node(a, b *Node, worker string) {
	at := Difference{IDA: a.ID, IDB: b.ID, Worker: worker, Name: a.Name}
	d.text(at, "name", a.Name, b.Name)
	d.text(at, "model", a.Model, b.Model)
	d.json(at, "input", a.Input, b.Input)
	d.text(at, "approval", decided(a.Approval), decided(b.Approval))
	if a.Worker != "" {
		worker = a.Worker
	}
	at.Worker = worker
	pairs := align(a.Children, b.Children)
	for i := range max(len(a.Turns), len(b.Turns)) {
		calls := d.turn(at, a, b, i)
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
	for i := range max(len(a.Notes), len(b.Notes)) {
		one, other := note(a, i), note(b, i)
		if one.timeless == "" || one.timeless != other.timeless {
			d.text(at, "note", one.Text, other.Text)
		}
	}
	d.text(at, "status", a.Status, b.Status)
	d.text(at, "error", failure(a), failure(b))
	d.json(at, "output", a.Output, b.Output)
	d.text(at, "tokens", tokens(a.Usage), tokens(b.Usage))
	d.text(at, "cost", a.Usage.CostText(), b.Usage.CostText())
}

// turn compares the i-th turns of the worker, and returns the number of calls that a's
// turn made.
func (d *Comparison) turn(at Difference, a, b *Node, i int) (calls int) {
	at.Turn = i + 1
	switch {
	case i >= len(a.Turns):
		at.IDA = ""
		d.add(at, "turn", "", b.Turns[i].Text)
		return 0
	case i >= len(b.Turns):
		at.IDB = ""
		d.add(at, "turn", a.Turns[i].Text, "")
		return a.Turns[i].Calls
	}
	x, y := a.Turns[i], b.Turns[i]
	if a.Model == b.Model { // otherwise node reported the difference already
		d.text(at, "model", x.Model, y.Model)
	}
	d.text(at, "text", x.Text, y.Text)
	d.text(at, "finish", x.Finish, y.Finish)
	return x.Calls
}

// pair compares two calls, or reports that only one run has the call.
func (d *Comparison) pair(p [2]*Node, worker string) {
	switch a, b := p[0], p[1]; {
	case b == nil:
		d.add(Difference{IDA: a.ID, Worker: worker, Name: a.Name}, "call", string(a.Input), "")
	case a == nil:
		d.add(Difference{IDB: b.ID, Worker: worker, Name: b.Name}, "call", "", string(b.Input))
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

// plain returns a JSON value for people: a string without its quotes and escapes,
// anything else unchanged.
func plain(raw json.RawMessage) string {
	if len(raw) > 0 && raw[0] == '"' {
		return unquote(raw)
	}
	return string(raw)
}

// decided returns the gate's decision about a call as text, without the rule that made
// it.
func decided(a *Approval) string {
	if a == nil {
		return ""
	}
	return approvalText(*a, 400)
}

func note(n *Node, i int) Note {
	if i >= len(n.Notes) {
		return Note{}
	}
	return n.Notes[i]
}

func failure(n *Node) string {
	if n.Error == nil {
		return ""
	}
	return joinCode(n.Error.Code, n.Error.Message)
}

// maxAlign is the largest number of calls of one worker that align aligns. If there are
// more, it pairs the calls by their position.
const maxAlign = 400

// align pairs the calls of a worker with its calls in the other run. It keeps the order
// and pairs as many calls of the same name as possible. nil means that a run does not
// have the call.
func align(a, b []*Node) [][2]*Node {
	var out [][2]*Node
	if len(a) > maxAlign || len(b) > maxAlign {
		for i := range max(len(a), len(b)) {
			var p [2]*Node
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
			out = append(out, [2]*Node{a[i], b[j]})
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || best[i][j] == best[i+1][j]):
			out = append(out, [2]*Node{a[i], nil})
			i++
		default:
			out = append(out, [2]*Node{nil, b[j]})
			j++
		}
	}
	return out
}

// alike returns 0 for calls of different names, 3 for calls with the same input, else 2.
func alike(a, b *Node) int {
	switch {
	case a.Name != b.Name:
		return 0
	case bytes.Equal(a.Input, b.Input):
		return 3
	}
	return 2
}

// place returns where the difference is: "0.2 read_file" or "0 main, turn 3".
func (d Difference) place() string {
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
	return Visible(text)
}
