//go:build !js

package view

import (
	"fmt"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"golem/core/trace"
)

// A stop of the person is under way until the conversation waits again.
func TestStopIsUnderWay(t *testing.T) {
	var s State
	s.Act(Action{Do: Stopped})
	idle := s.Stop
	s.Event(trace.Event{ID: "0", Body: trace.RunStart{}}, time.Time{})
	s.Act(Action{Do: Stopped})
	running := s.Stop
	s.Act(Action{Do: Prompted})
	if idle || !running || s.Stop {
		t.Error(idle, running, s.Stop)
	}
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
		e, err := trace.Decode([]byte(one))
		if err != nil {
			t.Fatal(err)
		}
		s.Event(e, time.Time{})
	}
	if got := s.Call("0.1").Task; got != `path: "/a.md"` {
		t.Error(got)
	}
}

// Calls whose caller is missing, or known later, are placed below the nearest known caller,
// and what they used is counted once.
func TestMissingCallers(t *testing.T) {
	end := func(id string) trace.Event {
		return trace.Event{ID: id, Body: trace.ModelEnd{Usage: trace.Usage{In: 1}}}
	}
	for _, ids := range [][]string{{"0.1", "0.1.2", "0.1.10", "0.1.2.1", "0.2"}, {"0.1.2.1", "0.2", "0.1.10", "0.1.2", "0.1"}, {"0.2", "0.1.10", "0.1.2.1", "0.1", "0.1.2"}} {
		var s State
		for _, id := range ids {
			s.Event(end(id), time.Time{})
		}
		var got []string
		s.Root().Walk(func(c *Call) { got = append(got, fmt.Sprintf("%s %d", c.ID, c.Run.All.In)) })
		if diff := gocmp.Diff([]string{"0 5", "0.1 4", "0.1.2 2", "0.1.2.1 1", "0.1.10 1", "0.2 1"}, got); diff != "" {
			t.Errorf("%v: %s", ids, diff)
		}
	}
	var s State
	long := "0" + strings.Repeat(".1", maxID)
	for _, id := range []string{"0.3.1.1", long, "x", "", "..", "0."} {
		s.Event(end(id), time.Time{})
	}
	var got []string
	s.Root().Walk(func(c *Call) { got = append(got, c.ID) })
	if len(got) != 6 || s.Call("0.3.1.1").Parent != s.Root() || s.Call(long).Parent != s.Root() {
		t.Errorf("%.40q", got)
	}
}
