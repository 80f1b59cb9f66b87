package core

import (
	"bytes"
	"encoding/json"

	"golem/core/batch"
	"golem/core/conversation"
	"golem/core/model"
	"golem/core/run"
	"golem/core/trace"
)

// BookBatch books into an account what the items of a batch used before this process: those that
// have ended, and those that golem goes on with.
func BookBatch(q *batch.Local, a *run.Account) error {
	book := func(u *trace.Usage) {
		if u != nil {
			a.Book(model.Usage{In: u.In, Out: u.Out, Cached: u.Cached, Written: u.Written, Cost: u.Cost})
		}
	}
	err := q.Results(func(r batch.Result) error {
		book(r.Usage)
		return nil
	})
	if err != nil {
		return err
	}
	return q.Logs(func(spent *trace.Usage, log []batch.Line) error {
		book(spent)
		a.Book(spentIn(log))
		return nil
	})
}

// UsedIn returns what the answers that an item's log has used.
func UsedIn(log []batch.Line) batch.Amount {
	used := spentIn(log)
	return batch.Amount{Tokens: used.In + used.Out, Cost: used.Cost}
}

// spentIn returns what the answers that an item's log has were billed.
func spentIn(log []batch.Line) (used model.Usage) {
	for _, line := range log {
		var l itemLine
		var b itemBody
		if json.Unmarshal(line, &l) != nil || json.Unmarshal(l.Body, &b) != nil {
			continue // going on with the item reports it
		}
		for entry := range bytes.Lines([]byte(b.Text)) {
			var e struct{ Line conversation.Entry }
			if json.Unmarshal(entry, &e) == nil {
				used = used.Add(e.Line.Usage.Usage())
			}
		}
	}
	return used
}
