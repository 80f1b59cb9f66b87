// Package viewtest has the cases that every reducer of events passes: the one of
// core/ui/view and the page's. A case is a list of steps and the lines that describe the
// state after them.
package viewtest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"golem/core/trace"
	"golem/core/ui/view"
)

// Case is one case. A step is an event as a trace has it, or an Action of core/ui/view, which
// has the field "do".
type Case struct {
	Name  string            `json:"name"`
	Steps []json.RawMessage `json:"steps"`
	Want  []string          `json:"want"` // Lines after all steps
}

// Play returns the state after the steps.
func Play(steps []json.RawMessage) (*view.State, error) {
	s := &view.State{}
	for _, one := range steps {
		var a view.Action
		if err := json.Unmarshal(one, &a); err != nil {
			return nil, fmt.Errorf("%s: %w", one, err)
		}
		if a.Do != "" {
			s.Act(a)
			continue
		}
		e, err := trace.Decode(one)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", one, err)
		}
		at, _ := time.Parse(time.RFC3339, e.TS)
		s.Event(e, at)
	}
	return s, nil
}

// Lines describes what reducers have in common: the status and usage, the question, the
// transcript, then the tree of calls.
func Lines(s *view.State) []string {
	status := s.Status
	if status == view.Idle {
		status = "idle"
	}
	out := []string{fmt.Sprintf("%s, %d in, %d out", status, s.Usage.In, s.Usage.Out)}
	if s.Permission != "" {
		out = append(out, "permission: "+string(s.Permission))
	}
	if s.Asking != nil {
		out = append(out, "asks: "+s.Asking.Tool)
	}
	for _, it := range s.Items {
		switch {
		case it.Kind == view.CallOf:
			c := s.Call(it.ID)
			out = append(out, fmt.Sprintf("call %s: %s %s", it.ID, c.Name, c.Status))
		case it.Kind == view.Notice:
			out = append(out, it.Level+": "+it.Text())
		case it.Kind == view.Golem && !it.Over:
			out = append(out, "golem (live): "+it.Text())
		case it.Kind == view.Thought:
			out = append(out, "thought"+reasoned(it)+": "+it.Text())
		default:
			out = append(out, string(it.Kind)+": "+it.Text())
		}
	}
	if root := s.Call("0"); root != nil {
		out = append(out, tree(root, "")...)
	}
	return out
}

// reasoned describes how far the model's reasoning is.
func reasoned(it *view.Item) string {
	text := ""
	if s := it.Spent; s != nil {
		text = fmt.Sprintf(" (%d ms, %d tokens)", s.MS, s.Tokens)
		if s.Estimated {
			text = fmt.Sprintf(" (%d ms, ~%d tokens)", s.MS, s.Tokens)
		}
	}
	if !it.Over {
		text += " (live)"
	}
	return text
}

func tree(c *view.Call, indent string) []string {
	line := fmt.Sprintf("%s- %s %s", indent, c.Name, c.Status)
	if c.Error != nil {
		line += " " + string(c.Error.Code)
	}
	if c.MS > 0 && c.Parent != nil { // the root's is also that of the run
		line += fmt.Sprintf(" %d ms", c.MS)
	}
	if c.Run.Thinking {
		line += ", thinks"
	}
	if c.Approval != nil {
		line += ", " + c.Approval.Decision + " by " + c.Approval.Source
	}
	if r := c.Run; c.IsWorker() {
		turns := 0
		for _, t := range r.Turns {
			if t.Finish != "" {
				turns++
			}
		}
		line += fmt.Sprintf(", %d turns, own %d/%d, all %d/%d", turns, r.Own.In, r.Own.Out, r.All.In, r.All.Out)
	}
	out := []string{line}
	for _, child := range c.Children {
		out = append(out, tree(child, indent+"  ")...)
	}
	return out
}

// Random returns a case of about n events with random order: workers that run in parallel,
// calls whose caller or beginning is missing, broken streams, stops, ends that come twice.
func Random(seed uint64, n int) (Case, error) {
	g := generator{rand.New(rand.NewPCG(seed, 0)), map[string]int{}}
	c := Case{Name: fmt.Sprintf("random %d", seed), Steps: []json.RawMessage{
		json.RawMessage(`{"type":"run.start","id":"0","input":"go"}`), json.RawMessage(`{"type":"worker.start","id":"0","worker":"main","source":"main.worker","model":"m","tools":[]}`),
	}}
	for len(c.Steps) < n {
		for _, e := range g.step() {
			c.Steps = append(c.Steps, json.RawMessage(e))
		}
	}
	s, err := Play(c.Steps)
	if err != nil {
		return Case{}, err
	}
	c.Want = Lines(s)
	return c, nil
}

type generator struct {
	*rand.Rand
	turns map[string]int // of each worker
}

func (g *generator) of(words ...string) string { return words[g.IntN(len(words))] }

// id returns the id of the root or of a call up to three levels below it.
func (g *generator) id(least int) string {
	id := "0"
	for range least + g.IntN(4-least) {
		id += fmt.Sprintf(".%d", 1+g.IntN(12))
	}
	return id
}

// step returns the next events: mostly one, sometimes the complete turn of a worker.
func (g *generator) step() []string {
	call, worker := g.id(1), g.of("0", g.id(0))
	fill := func(format string) string {
		return strings.NewReplacer("CALL", call, "WORKER", worker, "NAME", g.of("read_file", "reader", "x"), "STATUS", g.of("ok", "error", "denied", "not_run", "stopped"),
			"TEXT", g.of("", "a", "some words\\nof it"), "TURN", fmt.Sprint(g.turns[worker]), "IN", fmt.Sprint(g.IntN(50)), "MS", fmt.Sprint(1000+g.IntN(50_000))).Replace(format)
	}
	turn := func(events ...string) []string {
		g.turns[worker]++
		for i := range events {
			events[i] = fill(events[i])
		}
		return events
	}
	start, end := `{"type":"model.start","id":"WORKER","turn":TURN,"messages":1}`, `{"type":"model.end","id":"WORKER","turn":TURN,"model":"m","finish":"stop","text":"TEXT","usage":{"in":IN,"out":1},"attempts":1,"ms":3}`
	delta := `{"type":"delta","id":"WORKER","text":"TEXT"}`
	thought, over := `{"type":"reasoning","id":"WORKER","text":"TEXT"}`, `{"type":"reasoning","id":"WORKER","text":"","over":{"ms":MS,"tokens":IN,"estimated":true}}`
	switch g.IntN(18) {
	case 16:
		return turn(start, thought, thought, over, delta, strings.Replace(end, `"ms":3`, `"reasoning":{"ms":4,"tokens":7},"ms":3`, 1))
	case 17:
		return turn(start, thought, over, delta, `{"type":"delta","id":"WORKER","text":"","reset":true}`, g.of(thought, delta), g.of(end, `{"do":"prompt"}`))
	case 0, 1, 2:
		return turn(start, delta, delta, end)
	case 3:
		return turn(start, delta, `{"type":"delta","id":"WORKER","text":"","reset":true}`, delta, end)
	case 4:
		return turn(start, `{"do":"prompt"}`)
	case 5, 6:
		return []string{fill(`{"type":"tool.start","id":"CALL","tool":"NAME","kind":"builtin","args":{"path":"/a"}}`)}
	case 7:
		return []string{fill(`{"type":"tool.start","id":"CALL","tool":"NAME","kind":"worker","args":{"input":"a"}}`), fill(`{"type":"worker.start","id":"CALL","worker":"NAME","source":"r","model":"m","tools":[]}`)}
	case 8, 9:
		return []string{fill(`{"type":"tool.end","id":"CALL","tool":"NAME","status":"STATUS","result":"r","ms":MS}`)}
	case 10:
		return []string{fill(`{"type":"tool.end","id":"CALL","tool":"NAME","status":"error","error":{"code":"E_TOOL","message":"no"},"ms":2}`)}
	case 11:
		return []string{fill(`{"type":"approval","id":"CALL","tool":"NAME","setting":"ask","source":"setting","decision":"run"}`)}
	case 12:
		return []string{fill(`{"type":"ask","id":"CALL","request":{"tool":"NAME","call":"CALL"}}`), fill(`{"type":"approval","id":"CALL","tool":"NAME","setting":"ask","source":"user","decision":"deny"}`)}
	case 13:
		return []string{fill(`{"type":"progress","id":"CALL","status":"` + g.of("pending", "running", "complete", "failed") + `","description":"reader","task":"t"}`)}
	case 14:
		return []string{fill(`{"type":"` + g.of("warning", "error") + `","id":"0","code":"E_LIMIT","message":"near"}`), fill(`{"type":"retry","id":"0","turn":1,"attempt":1,"code":"E_MODEL","message":"busy","wait_ms":MS}`), fill(`{"type":"status","id":"0","level":"info","text":"TEXT"}`), `{"type":"fallback","id":"0.1","tool":"reader","call":"0.1.1","reason":"` + g.of("unsure", "schema", "failed", "input") + `","message":"why"}`}
	}
	return []string{`{"type":"message","id":"0","role":"user","text":"` + g.of("again", "more") + `"}`, `{"type":"clearance","id":"0","action":"` + g.of("staged", "push", "pending") + `","item":"1","message":"One"}`}
}
