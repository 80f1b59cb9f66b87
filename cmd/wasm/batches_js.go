package main

import (
	"bytes"

	"golem/core/batch"
	"golem/core/fault"
	"golem/core/state"
	"golem/sandbox/opfs"
)

// batchesAsked has the parameters of batches. Action is list, show, items, results, trace,
// questions, covers, answer, cancel or remove.
type batchesAsked struct {
	Project string       `json:"project"`
	Action  string       `json:"action"`
	Batch   string       `json:"batch"`
	Item    string       `json:"item"`   // its key or its directory; "": all
	Status  batch.Status `json:"status"` // of items; "": all
	Code    fault.Code   `json:"code"`
	From    int          `json:"from"` // of items
	Most    int          `json:"most"`
	Again   bool         `json:"again"` // of questions: also those that are answered

	answering
}

// batches lists the batches of a project, or shows one, answers its questions, ends or removes it,
// as golem batch list, show, questions and cancel do.
func batches(c *call, n batchesAsked) (any, []byte, error) {
	fsys, err := c.server.stores.project(n.Project)
	if err != nil {
		return nil, nil, err
	}
	shelf := batchShelf{c.server.stores, fsys, n.Project}
	if n.Action == "list" {
		all, err := shelf.list()
		return all, nil, err
	}
	if !batch.IsName(n.Batch) {
		return nil, nil, fault.New(fault.NotFound, "%s is not the name of a batch", fault.Quoted(n.Batch)).Hinting("list the batches of the project")
	}
	store, err := shelf.Batch(n.Batch)
	if err != nil {
		return nil, nil, err
	}
	if n.Action == "remove" {
		return nil, nil, batch.Remove(shelf, n.Batch)
	}
	q, err := batch.ReadLocal(&store)
	if err != nil {
		return nil, nil, err
	}
	switch n.Action {
	case "show":
		s, err := q.Summary()
		return map[string]any{"listing": batch.Listed(q), "summary": s, "text": s.Text()}, nil, err
	case "items":
		items, all, err := n.items(q)
		return map[string]any{"items": items, "all": all}, nil, err
	case "results":
		var out bytes.Buffer
		err := batch.WriteResults(&out, q)
		return nil, out.Bytes(), err
	case "trace":
		lines, err := q.Trace(n.Item)
		return nil, lines, err
	case "questions":
		groups, err := q.Questions(n.Again)
		return shownGroups(groups), nil, err
	case "covers":
		out, err := n.covers(q)
		return out, nil, err
	case "answer":
		return nil, nil, n.answer(q)
	case "cancel":
		out, err := n.cancel(fsys, &store, q)
		return out, nil, err
	}
	return nil, nil, fault.New(fault.Usage, "there is nothing called %s", fault.Brief(n.Action)).
		Hinting("list, show, items, results, trace, questions, covers, answer, cancel or remove")
}

// mostItems is how many items one reply has at most.
const mostItems = 1000

// items returns a part of the items with a status, and how many have it.
func (n batchesAsked) items(q *batch.Local) (items []batch.Result, all int, err error) {
	items = []batch.Result{}
	w := batch.Wanted{Item: n.Item, Status: n.Status, Code: n.Code}
	if err := w.Check(); err != nil {
		return nil, 0, err
	}
	most := mostItems
	if n.Most > 0 && n.Most < most {
		most = n.Most
	}
	err = q.Find(w, func(r batch.Result) error {
		if all >= n.From && len(items) < most {
			items = append(items, r)
		}
		all++
		return nil
	})
	return items, all, err
}

// cancelled is the reply of cancel.
type cancelled struct {
	Items int  `json:"items"` // that were not run
	Soon  bool `json:"soon"`  // the tab that runs the batch ends it within seconds
}

// cancel ends a batch: what has not ended is not run any more.
func (n batchesAsked) cancel(fsys *opfs.FS, store *state.Store, q *batch.Local) (out cancelled, err error) {
	if q.Held() {
		return cancelled{Soon: true}, q.AskToCancel()
	}
	own, err := batch.OpenLocal(store, q.Head)
	if err != nil {
		return out, err
	}
	defer own.Close()
	if out.Items, err = own.Cancel(); err != nil {
		return out, err
	}
	outputs, err := batchOutputs(fsys, own.Head.Out)
	if err == nil {
		_, err = writeResults(own, outputs)
	}
	return out, err
}
