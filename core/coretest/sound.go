package coretest

import (
	"fmt"
	"strings"

	"golem/core/trace"
)

// sound returns the problems of a trace that no case may have (scenario 35): a gap in seq, an
// event without a time, a parent that does not fit the id, a call without exactly one start
// and one end or with more than one approval, a worker without an end, and a run whose end is
// not the last line.
func sound(events []trace.Event) []string {
	var bad []string
	starts, ends, gates, order := map[string]int{}, map[string]int{}, map[string]int{}, []string{}
	runs, workers := 0, map[string]int{} // open worker runs, by id
	for i, e := range events {
		if e.Seq != int64(i+1) {
			bad = append(bad, fmt.Sprintf("trace: seq %d at line %d", e.Seq, i+1))
		}
		if cut := strings.LastIndex(e.ID, "."); cut >= 0 && e.Parent != e.ID[:cut] {
			bad = append(bad, fmt.Sprintf("trace: %s of %s has the parent %q", e.Body.EventType(), e.ID, e.Parent))
		}
		if e.TS == "" {
			bad = append(bad, fmt.Sprintf("trace: line %d has no time", i+1))
		}
		switch b := e.Body.(type) {
		case trace.ToolStart:
			starts[e.ID]++
			order = append(order, e.ID)
		case trace.ToolEnd:
			ends[e.ID]++
		case trace.Approval:
			if b.Kind == "" { // of the call itself
				gates[e.ID]++
			}
		case trace.WorkerStart:
			workers[e.ID]++
		case trace.WorkerEnd:
			workers[e.ID]--
		case trace.RunEnd:
			if runs++; i != len(events)-1 {
				bad = append(bad, fmt.Sprintf("trace: %s follows run.end", events[i+1].Body.EventType()))
			}
		}
	}
	for id, n := range workers {
		if n != 0 {
			bad = append(bad, fmt.Sprintf("trace: %s has %d worker.start without an end", id, n))
		}
	}
	if runs != 1 {
		bad = append(bad, fmt.Sprintf("trace: %d run.end", runs))
	}
	for _, id := range order {
		if starts[id] != 1 || ends[id] != 1 || gates[id] > 1 {
			bad = append(bad, fmt.Sprintf("trace: %s has %d starts, %d approvals, %d ends", id, starts[id], gates[id], ends[id]))
		}
	}
	return bad
}
