package trace

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
)

// Comparison is how two runs differ, call by call (golem trace diff). Times are shown and are
// no difference: they are never the same.
type Comparison struct {
	Golem string `json:"golem"` // "trace-diff"
	V     int    `json:"v"`     // 1
	A     Side   `json:"a"`
	B     Side   `json:"b"`
	// Same says that nothing differs but times and names of runs.
	Same bool `json:"same"`
	// Differences are in the order in which things happened: the first one is the first
	// place at which the runs part.
	Differences []Difference `json:"differences"`
}

// Side is one of the two runs as a whole.
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

// Difference is one thing that differs. An id is "" if that run has no such call, or no
// such turn, and then What is "call" or "turn".
type Difference struct {
	IDA    string `json:"id_a,omitempty"`
	IDB    string `json:"id_b,omitempty"`
	Worker string `json:"worker,omitempty"` // whose turn or call it is
	Name   string `json:"name"`             // of the call
	Turn   int    `json:"turn,omitempty"`   // of the worker; 0: it is about the call
	// What is call, turn, name, model, input, approval, text, finish, tokens, cost, note,
	// status, error or output.
	What string `json:"what"`
	A    string `json:"a,omitempty"`
	B    string `json:"b,omitempty"`
}

// Compare compares two traces.
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

// node compares a call of both runs and what is below it.
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

// turn compares the worker's i-th turns, and returns how many calls a's turn made.
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
	if a.Model == b.Model { // else it was told
		d.text(at, "model", x.Model, y.Model)
	}
	d.text(at, "text", x.Text, y.Text)
	d.text(at, "finish", x.Finish, y.Finish)
	return x.Calls
}

// pair compares two calls, or tells that only one run has it.
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

// json compares two values, in which the order of fields is of no matter.
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

// plain is a value for people: a string as its text.
func plain(raw json.RawMessage) string {
	if len(raw) > 0 && raw[0] == '"' {
		return unquote(raw)
	}
	return string(raw)
}

// decided is what became of a call at the gate, without times and reasons of rules.
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

// maxAlign is up to how many calls of one worker are aligned; of more, the first one is
// held against the first one and so on.
const maxAlign = 400

// align puts the calls of a worker beside those of the other run, in order: as many as
// possible of the same name stand together. nil stands for a call that is not there.
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
	best := make([][]int, len(a)+1) // of the same calls from a[i:] and b[j:], each worth 2, and 3 with the same input
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

func alike(a, b *Node) int {
	switch {
	case a.Name != b.Name:
		return 0
	case bytes.Equal(a.Input, b.Input):
		return 3
	}
	return 2
}

// place says where a difference is: "0.2 read_file" or "0 main, turn 3".
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
