package ui

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"golem/core/sorting"
	"golem/core/trace"
)

// maxWaits is the largest number of waits that the status line names.
const maxWaits = 3

// wait is one thing that a run waits for.
type wait struct {
	what  string
	since time.Time
	args  json.RawMessage // of a call
}

// waits keeps what a run waits for and what it has used so far.
type waits struct {
	calls  map[string]wait // tools and workers, by trace id
	models map[string]wait // answers of models, by the trace id of the worker run
	names  map[string]string
	usage  trace.Usage
	staged map[string]bool // items that wait for the person, according to the run's events (S4-54)
	begun  time.Time       // start of "working", which is shown if no call and no model is waited for
	on     bool            // the run works: it has not ended and is not at the prompt of a chat
}

// note updates the waits with an event of the run.
func (w *waits) note(e trace.Event, now time.Time) {
	if w.calls == nil {
		w.calls, w.models, w.names = map[string]wait{}, map[string]wait{}, map[string]string{}
		w.staged = map[string]bool{}
	}
	switch b := e.Body.(type) {
	case trace.RunEnd:
		w.on = false
		return
	case trace.RunStart, trace.Message:
		w.begun = now
	case trace.WorkerStart:
		w.names[e.ID] = oneLine(e.Worker)
		if task := w.task(e.ID); task != "" {
			w.names[e.ID] += ": " + task
		}
		if e.Depth == 0 {
			w.names[e.ID] = strings.TrimSpace("waiting for " + oneLine(b.Model))
		}
	case trace.ModelStart:
		w.models[e.ID] = wait{what: w.names[e.ID], since: now}
	case trace.ModelEnd:
		delete(w.models, e.ID)
		w.usage = w.usage.Plus(b.Usage)
		w.begun = now
	case trace.ToolStart:
		w.calls[e.ID] = wait{callLine(b.Tool, b.Args), now, b.Args}
	case trace.ToolEnd:
		delete(w.calls, e.ID)
		w.begun = now
	case trace.WorkerEnd:
		delete(w.models, e.ID)
		delete(w.names, e.ID)
	case trace.Clearance:
		switch {
		case b.Action == "staged":
			w.staged[b.Item] = true
		case b.Error == nil:
			delete(w.staged, b.Item)
		}
	case trace.Status, trace.Warning, trace.Error:
		return // the session may be at the prompt of a chat
	}
	w.on = true
}

// begin starts a wait whose reason is not known yet, shown as "working".
func (w *waits) begin(now time.Time) { w.on, w.begun = true, now }

// task returns the input of a worker in a few words, or "" if its call is not known.
func (w *waits) task(id string) string {
	if c, ok := w.calls[id]; ok {
		return taskLine(c.args)
	}
	return ""
}

// line returns the status line: what the run waits for, the tokens and the cost so far,
// and the number of staged items. A call is left out if the run waits for another one
// below it. line returns "" while the run does not work.
func (w *waits) line(now time.Time) string {
	if !w.on {
		return ""
	}
	all := map[string]wait{}
	for id, c := range w.calls {
		if _, thinks := w.models[id]; !thinks && !w.below(id) {
			all[id] = c
		}
	}
	for id, m := range w.models {
		all[id] = m
	}
	ids := make([]string, 0, len(all))
	for id := range all {
		ids = append(ids, id)
	}
	sorting.By(ids, trace.CompareID)
	var parts []string
	for _, id := range ids[:min(len(ids), maxWaits)] {
		parts = append(parts, withTime(clip(all[id].what, briefTask), now.Sub(all[id].since)))
	}
	if more := len(ids) - maxWaits; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	if len(ids) == 0 {
		parts = append(parts, withTime("working", now.Sub(w.begun)))
	}
	if used := tokens(w.usage); used != "" {
		parts = append(parts, used)
	}
	if cost := w.usage.CostText(); cost != "" {
		parts = append(parts, cost)
	}
	if n := len(w.staged); n > 0 {
		parts = append(parts, fmt.Sprintf("[!] %d pending", n))
	}
	return strings.Join(parts, " · ")
}

// below reports whether the run waits for a call or a model below the call with this id.
func (w *waits) below(id string) bool {
	for other := range w.calls {
		if strings.HasPrefix(other, id+".") {
			return true
		}
	}
	for other := range w.models {
		if strings.HasPrefix(other, id+".") {
			return true
		}
	}
	return false
}
