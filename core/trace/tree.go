package trace

import (
	"encoding/json"
	"strings"

	"golem/core/fault"
	"golem/core/sorting"
)

// Node is one call in the tree of a run: a tool, a worker or the root. A worker
// that is called as a tool is one node, because it has one id (S3-06, S3-21).
type Node struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"` // the tool as called, or the worker
	Kind     string          `json:"kind"` // builtin, wasm, worker
	Worker   string          `json:"worker,omitempty"`
	Depth    int             `json:"depth"`
	Source   string          `json:"source,omitempty"`
	Model    string          `json:"model,omitempty"`
	Status   string          `json:"status"` // of the call; "" if the trace ends before it did
	Started  string          `json:"started,omitempty"`
	MS       int64           `json:"ms"`
	Input    json.RawMessage `json:"input,omitempty"`
	Output   json.RawMessage `json:"output,omitempty"`
	Parts    []Part          `json:"parts,omitempty"` // of the output
	Error    *fault.Fault    `json:"error,omitempty"`
	Usage    Usage           `json:"usage"`         // of a worker and all below it
	Own      *Usage          `json:"own,omitempty"` // of the worker's own turns, where that is less
	Fuel     int64           `json:"fuel,omitempty"`
	Approval *Approval       `json:"approval,omitempty"`
	Turns    []Turn          `json:"turns,omitempty"`
	Notes    []Note          `json:"notes,omitempty"`
	Children []*Node         `json:"children,omitempty"`

	workerEnd bool // Usage comes from worker.end
}

// Turn is one model request of a worker and its answer.
type Turn struct {
	Turn     int    `json:"turn"`
	Model    string `json:"model,omitempty"`
	Finish   string `json:"finish,omitempty"` // "" if no answer came
	Text     string `json:"text,omitempty"`
	Calls    int    `json:"calls,omitempty"`
	Usage    Usage  `json:"usage"`
	Attempts int    `json:"attempts,omitempty"`
	Started  string `json:"started,omitempty"`
	MS       int64  `json:"ms"`
}

// Note is something that happened during a call in addition to its result.
type Note struct {
	Level string `json:"level"` // info, warn, error
	Text  string `json:"text"`

	timeless string // Text without times; "" if it has none
}

// Tree builds the tree of a run from its events, ordered by id. It never fails:
// a call whose caller is missing is placed below the nearest known ancestor, or
// the root; what an incomplete trace does not contain stays empty.
func Tree(events []Event) *Node {
	root := &Node{ID: "0", Kind: "worker"}
	b := treeBuilder{root: root, nodes: map[string]*Node{"0": root, "": root}}
	for _, e := range events {
		if e.Body != nil {
			b.add(b.node(e.ID), e)
		}
	}
	b.hang()
	return root
}

type treeBuilder struct {
	root  *Node
	nodes map[string]*Node
}

func (b *treeBuilder) node(id string) *Node {
	n := b.nodes[id]
	if n == nil {
		n = &Node{ID: id}
		b.nodes[id] = n
	}
	return n
}

// hang places each node below its nearest known ancestor. Ids are hierarchical,
// so there can be no cycles; nodes with too long ids are placed below the root.
func (b *treeBuilder) hang() {
	for id, n := range b.nodes {
		if n != b.root {
			p := b.above(id)
			p.Children = append(p.Children, n)
		}
	}
	for id, n := range b.nodes {
		sorting.By(n.Children, func(x, y *Node) int { return CompareID(x.ID, y.ID) })
		if id != "" { // "" and "0" are both the root
			sumUsage(n)
		}
	}
}

func (b *treeBuilder) above(id string) *Node {
	if len(id) > maxID {
		return b.root
	}
	for {
		i := strings.LastIndexByte(id, '.')
		if i < 0 {
			return b.root
		}
		id = id[:i]
		if n := b.nodes[id]; n != nil {
			return n
		}
	}
}

// sumUsage sets the usage of a worker without worker.end to the sum of its own
// turns.
func sumUsage(n *Node) {
	if n.workerEnd {
		return
	}
	for _, t := range n.Turns {
		n.Usage = n.Usage.Plus(t.Usage)
	}
}

func (b *treeBuilder) add(n *Node, e Event) {
	if n.Started == "" {
		n.Started, n.Depth = e.TS, e.Depth
	}
	switch v := e.Body.(type) {
	case RunStart:
		n.Input = v.Input
	case RunEnd:
		n.Status, n.Output, n.Error, n.MS = v.Status, v.Output, v.Error, v.MS
		n.Usage, n.workerEnd = v.Usage, true
	case WorkerStart:
		n.Worker, n.Source, n.Model, n.Kind = e.Worker, v.Source, v.Model, "worker"
		if n.Name == "" {
			n.Name = e.Worker
		}
	case WorkerEnd:
		n.Usage, n.Own, n.workerEnd = v.Usage, v.Own, true
		if n.Status == "" {
			n.Status, n.Output, n.Error, n.MS = v.Status, v.Output, v.Error, v.MS
		}
	case ModelStart:
		n.Turns = append(n.Turns, Turn{Turn: v.Turn, Started: e.TS})
	case ModelEnd:
		n.endTurn(v)
	case ToolStart:
		n.Name, n.Kind, n.Input = v.Tool, v.Kind, v.Args
	case ToolEnd:
		n.endTool(v)
	case Approval:
		if v.Kind == "" {
			n.Approval = &v
		} else {
			n.Notes = append(n.Notes, Note{Level: "info", Text: v.Kind + ": " + v.Rule + ": " + approvalText(v, 400)})
		}
	default:
		n.note(e.Body)
	}
}

// endTurn completes the last turn that began with that number.
func (n *Node) endTurn(v ModelEnd) {
	t := Turn{
		Turn: v.Turn, Model: v.Model, Finish: v.Finish, Text: v.Text, Calls: len(v.Calls),
		Usage: v.Usage, Attempts: v.Attempts, MS: v.MS,
	}
	if last := len(n.Turns) - 1; last >= 0 && n.Turns[last].Turn == v.Turn && n.Turns[last].Finish == "" {
		t.Started = n.Turns[last].Started
		n.Turns[last] = t
		return
	}
	n.Turns = append(n.Turns, t)
}

// endTool sets a call's final status. A worker that ended with a question keeps
// needs_input, because its tool.end says only ok.
func (n *Node) endTool(v ToolEnd) {
	if n.Name == "" {
		n.Name = v.Tool
	}
	if !(n.Status == "needs_input" && v.Status == "ok") {
		n.Status = v.Status
	}
	n.Output, n.Parts, n.Error, n.Fuel, n.MS = v.Result, v.Parts, v.Error, v.Fuel, v.MS
}

func (n *Node) note(b Body) {
	switch v := b.(type) {
	case Retry:
		timeless := v
		timeless.WaitMS = 0
		n.Notes = append(n.Notes, Note{Level: "warn", Text: retryText(v), timeless: retryText(timeless)})
	case Warning:
		n.Notes = append(n.Notes, Note{Level: "warn", Text: joinCode(v.Code, v.Message)})
	case Error:
		n.Notes = append(n.Notes, Note{Level: "error", Text: joinCode(v.Code, v.Message)})
	case Message:
		n.Notes = append(n.Notes, Note{Level: "info", Text: v.Role + ": " + v.Text})
	case Clearance:
		n.Notes = append(n.Notes, Note{Level: "info", Text: strings.TrimSpace("clearance " + v.Action + " " + v.Item + " " + v.Target)})
	}
}

func joinCode(code fault.Code, message string) string {
	if code == "" {
		return message
	}
	return string(code) + ": " + message
}

// Walk calls visit for the node and all nodes below it, callers first, in the
// order of ids.
func (n *Node) Walk(visit func(*Node)) {
	visit(n)
	for _, c := range n.Children {
		c.Walk(visit)
	}
}
