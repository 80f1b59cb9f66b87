//go:build !js

package view

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"golem/core/trace"
)

// step is a line of a trace, or an Action, which has the field "do".
type step json.RawMessage

func (s *step) UnmarshalJSON(b []byte) error { *s = append((*s)[:0], b...); return nil }

// The cases are data, so that the page's reducer can run them, too. After all steps of a
// case, the state must be as want says.
func TestCases(t *testing.T) {
	data, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name  string   `json:"name"`
		Steps []step   `json:"steps"`
		Want  []string `json:"want"`
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			var s State
			for _, one := range c.Steps {
				play(t, &s, one)
			}
			if diff := gocmp.Diff(c.Want, told(&s)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func play(t *testing.T, s *State, one step) {
	t.Helper()
	var a Action
	if err := json.Unmarshal(one, &a); err != nil {
		t.Fatal(err)
	}
	if a.Do != "" {
		s.Act(a)
		return
	}
	e, err := trace.Decode(one)
	if err != nil {
		t.Fatalf("%s: %v", one, err)
	}
	at, _ := time.Parse(time.RFC3339, e.TS)
	s.Event(e, at)
}

// told returns a state in the form that the cases use: its status and usage, the
// transcript, then the tree of calls.
func told(s *State) []string {
	out := []string{fmt.Sprintf("%s, %d in, %d out", cmp.Or(s.Status, "idle"), s.Usage.In, s.Usage.Out)}
	if s.Asking != nil {
		out = append(out, "asks: "+s.Asking.Tool)
	}
	if s.Stop {
		out = append(out, "stopping")
	}
	for _, it := range s.Items {
		switch it.Kind {
		case CallOf:
			c := s.Call(it.ID)
			out = append(out, fmt.Sprintf("call %s: %s %s", it.ID, c.Name, c.Status))
		case Notice:
			out = append(out, it.Level+": "+it.Text())
		case Golem:
			live := ""
			if !it.Over {
				live = " (live)"
			}
			out = append(out, "golem"+live+": "+it.Text())
		default:
			out = append(out, string(it.Kind)+": "+it.Text())
		}
	}
	return append(out, tree(s, rootID, "")...)
}

func tree(s *State, id, indent string) []string {
	c := s.Call(id)
	if c == nil {
		return nil
	}
	line := fmt.Sprintf("%s- %s %s", indent, c.Name, c.Status)
	if c.Worker {
		line += fmt.Sprintf(", own %d/%d, all %d/%d", c.Own.In, c.Own.Out, c.All.In, c.All.Out)
	}
	out := []string{line}
	for _, child := range c.Children {
		out = append(out, tree(s, child, indent+"  ")...)
	}
	return out
}

// The time for an answer of a megabyte in small pieces grows linearly with its length: a
// new piece does not copy the text before it.
func TestLongAnswerIsAppended(t *testing.T) {
	var s State
	piece := strings.Repeat("x", 20)
	e := trace.Event{ID: "0", Body: trace.Delta{Text: piece}}
	n := testing.AllocsPerRun(50_000, func() { s.Event(e, time.Time{}) })
	if n > 1 || len(s.Items) != 1 || s.Items[0].text.Len() < 1_000_000 {
		t.Errorf("%v allocations a piece, %d items", n, len(s.Items))
	}
}

// The task of a worker is made from its arguments, so that it is readable and not JSON.
func TestTaskIsReadable(t *testing.T) {
	var s State
	for _, one := range []string{
		`{"type":"tool.start","id":"0.1","worker":"main","depth":0,"tool":"reader","kind":"worker","args":{"path":"/a.md"}}`,
		`{"type":"progress","id":"0.1","worker":"reader","depth":1,"status":"running","description":"reader","task":"{\"path\":\"/a.md\"}"}`,
	} {
		play(t, &s, step(one))
	}
	if got := s.Call("0.1").Task; got != `path: "/a.md"` {
		t.Error(got)
	}
}
