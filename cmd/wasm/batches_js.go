package main

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"slices"

	"golem/core/batch"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/sandbox/opfs"
)

// batchesAsked has the parameters of batches. Action is list, show, items, results, trace,
// questions, covers, answer, cancel or remove.
type batchesAsked struct {
	Project string       `json:"project"`
	Action  string       `json:"action"`
	Batch   string       `json:"batch"`
	Item    string       `json:"item"`   // its key or its directory
	Status  batch.Status `json:"status"` // of items and results; "": all
	From    int          `json:"from"`   // of items
	Most    int          `json:"most"`
	Again   bool         `json:"again"` // of questions: also those that are answered

	answering
}

// batches lists the batches of a project, or shows one, answers its questions, ends or removes it,
// as golem batch list, show, questions and cancel do.
func batches(c *call) (any, []byte, error) {
	var n batchesAsked
	if err := c.decode(&n); err != nil {
		return nil, nil, err
	}
	fsys, err := c.server.stores.project(n.Project)
	if err != nil {
		return nil, nil, err
	}
	if n.Action == "list" {
		all, err := c.server.stores.listBatches(fsys, n.Project)
		return all, nil, err
	}
	if !batch.IsName(n.Batch) {
		return nil, nil, fault.New(fault.NotFound, "%s is not the name of a batch", fault.Quoted(n.Batch)).Hinting("list the batches of the project")
	}
	store := c.server.stores.batch(fsys, n.Project, n.Batch)
	if n.Action == "remove" {
		return nil, nil, removeBatch(fsys, &store, n.Batch)
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

// listBatches lists the batches of a project, the newest first.
func (s *stores) listBatches(fsys *opfs.FS, project string) ([]batch.Listing, error) {
	out := []batch.Listing{}
	entries, err := fs.ReadDir(fsys, path.Join(sandbox.StateDir, batchesDir))
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.IsDir() || !batch.IsName(e.Name()) || finishRemoval(fsys, e.Name()) != nil {
			continue
		}
		store := s.batch(fsys, project, e.Name())
		q, err := batch.ReadLocal(&store)
		switch {
		case errors.Is(err, fault.NotFound): // a directory without a batch
		case err != nil:
			out = append(out, batch.Listing{Head: batch.Head{Name: e.Name()}, Error: fault.Of(err, fault.Config)})
		default:
			out = append(out, batch.Listed(q))
		}
	}
	slices.SortStableFunc(out, func(a, b batch.Listing) int { return -cmpText(a.Begun, b.Begun) })
	return out, nil
}

func cmpText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// mostItems is how many items one reply has at most.
const mostItems = 1000

// items returns a part of the items with a status, and how many have it.
func (n batchesAsked) items(q *batch.Local) (items []batch.Result, all int, err error) {
	items = []batch.Result{}
	most := mostItems
	if n.Most > 0 && n.Most < most {
		most = n.Most
	}
	err = q.Results(func(r batch.Result) error {
		if n.Status != "" && r.Status != n.Status || n.Item != "" && r.Item != n.Item && batch.DirName(r.Item) != n.Item {
			return nil
		}
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

// removingFile says that a batch is being removed: if the tab dies meanwhile, the next look at
// the batch removes the rest, so that no half of a batch goes on.
const removingFile = "removing"

// removeBatch removes what golem keeps of a batch. Its outputs stay. One that runs is E_BUSY.
func removeBatch(fsys *opfs.FS, store *state.Store, name string) error {
	at := path.Join(sandbox.StateDir, batchesDir, name)
	if _, err := fsys.Stat(at); errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.NotFound, "there is no such batch").Hinting("list the batches of the project")
	}
	release, err := store.TryHold(batch.LockName)
	if err != nil {
		return fault.New(fault.Busy, "the batch %s runs", name).Hinting("stop it first")
	}
	defer release()
	if err := fsys.WriteFile(path.Join(at, removingFile), nil); err != nil {
		return err
	}
	return fsys.RemoveAll(at)
}

// finishRemoval removes the rest of a batch that a tab that died was removing.
func finishRemoval(fsys *opfs.FS, name string) error {
	at := path.Join(sandbox.StateDir, batchesDir, name)
	if _, err := fsys.Stat(path.Join(at, removingFile)); err != nil {
		return nil
	}
	return fsys.RemoveAll(at)
}
