package core

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"golem/core/config"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/project"
	"golem/core/run"
	"golem/core/state"
	"golem/core/worktest"
)

// Accept makes a case of a kept run, or of the first exchange of a kept conversation: of the
// newest with "". It plays the conversation again in memory, and removes known secrets. Nothing
// is written: see Write.
func (t *Tests) Accept(ctx context.Context, id string) (*worktest.Accepted, error) {
	out := worktest.NothingAccepted()
	store, err := t.keptRuns()
	if err != nil {
		return nil, err
	}
	c, err := t.caseOf(ctx, store, id)
	if err != nil {
		return nil, err
	}
	return out, out.Add(worktest.FileFor(c.Name, t.exists), t.reference(c.Worker), []*worktest.NewCase{c})
}

// AcceptAll does what Accept does for several runs, for all that are kept if ids is empty. Each
// worker gets one file of tests. A run that cannot be a case is left out, and so is one whose
// input is that of a case which is there already, or of a run before it.
func (t *Tests) AcceptAll(ctx context.Context, ids []string) (*worktest.Accepted, error) {
	out := worktest.NothingAccepted()
	store, err := t.keptRuns()
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		for _, l := range conversation.List(store) {
			ids = append(ids, l.ID)
		}
	}
	known, workers, byWorker := t.knownInputs(), []string{}, map[string][]*worktest.NewCase{}
	for _, id := range ids {
		c, err := t.caseOf(ctx, store, id)
		if ctx.Err() != nil {
			return nil, fault.Of(context.Cause(ctx), fault.Interrupted)
		}
		if err != nil {
			out.Left = append(out.Left, worktest.LeftOut{From: id, Why: fault.Of(err, fault.Conflict).Message})
			continue
		}
		key := c.Key()
		switch {
		case known[key] != "":
			out.Left = append(out.Left, worktest.LeftOut{From: id, Why: "its input is that of " + known[key]})
			continue
		case byWorker[c.Worker] == nil:
			workers = append(workers, c.Worker)
		}
		known[key] = id
		byWorker[c.Worker] = append(byWorker[c.Worker], c)
	}
	slices.Sort(workers)
	for _, worker := range workers {
		worktest.Named(byWorker[worker])
		if err := out.Add(worktest.FileFor(worker, t.exists), t.reference(worker), byWorker[worker]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// keptRuns returns the store of the project's conversations.
func (t *Tests) keptRuns() (*state.Store, error) {
	if t.of.options.Bare {
		return nil, fault.New(fault.Usage, "this directory is not a project, so that it has no tests").Hinting("golem init makes one")
	}
	if store := t.of.Conversations(); store != nil {
		return store, nil
	}
	return nil, fault.New(fault.NotFound, "no conversation is kept here").Hinting("golem keeps one of each run if it has a home directory (GOLEM_HOME)")
}

// exists reports whether the project has a file.
func (t *Tests) exists(name string) bool {
	_, err := fs.Stat(t.of.options.Files, name)
	return err == nil
}

// reference returns what a file of tests has as its worker; "" for the entry.
func (t *Tests) reference(worker string) string {
	if entry, err := t.bare.project.Workers.Entry(); err == nil && entry.ID == worker {
		return ""
	}
	return worker
}

// keptWorker returns the worker of a kept conversation.
func (t *Tests) keptWorker(id string) (*project.Worker, error) {
	if entry, err := t.bare.project.Workers.Entry(); err == nil && entry.ID == id {
		return entry, nil
	}
	return t.bare.project.Workers.Find(id)
}

// knownInputs returns the names of the cases that the project has, by worktest.InputKey.
func (t *Tests) knownInputs() map[string]string {
	out := map[string]string{}
	for _, f := range t.Files {
		w, err := workerOf(t.bare, f)
		if err != nil {
			continue
		}
		for _, c := range f.Cases {
			if c.Input.File == "" {
				out[worktest.InputKey(w.ID, c.Input.Raw(), c.Attach)] = f.Path + ": " + c.Name
			}
		}
	}
	return out
}

// beginning returns the first message of the conversation of a run, if its first exchange can be
// a case. run may be the ID of the conversation, or "".
func beginning(k *conversation.Kept, run string) (*conversation.Input, error) {
	_, first := k.Resumed(run)
	switch {
	case k.Err != nil: // planted by somebody else: its answers are nobody's
		return nil, k.Err
	case run != "" && run != k.ID && !first:
		return nil, fault.New(fault.Conflict, "the run %s goes on with the conversation %s after its first exchange, and a case begins with a first message", run, k.ID).
			Hinting("golem test --accept=%s makes a case of the first exchange", k.ID)
	case len(k.Steps) == 0 || k.Steps[0].Input == nil:
		return nil, fault.New(fault.Conflict, "the run %s has no first message, so that it cannot be a case", k.ID)
	case k.Steps[0].Done == nil:
		return nil, fault.New(fault.Conflict, "the run %s has not ended, so that it cannot be a case", k.ID).Hinting("golem run --resume %s ends it", k.ID)
	}
	if len(k.Steps[0].Input.Earlier) > 0 {
		return nil, fault.New(fault.Conflict, "the run %s began with messages of a conversation that another program keeps, so that it cannot be a case", k.ID).
			Hinting("a request with one message can be a case")
	}
	return k.Steps[0].Input, nil
}

// caseOf makes a case of a kept run, of the newest with "". The case passes on its recording.
func (t *Tests) caseOf(ctx context.Context, store *state.Store, id string) (*worktest.NewCase, error) {
	k, err := conversation.OfRun(store, id)
	if err != nil {
		return nil, err
	}
	first, err := beginning(k, id)
	if err != nil {
		return nil, err
	}
	w, err := t.keptWorker(k.Head.Worker)
	if err != nil {
		return nil, err
	}
	c := &worktest.NewCase{
		Run: k.ID, Worker: w.ID, Name: cmp.Or(worktest.CaseName(t.red.Redact(k.Title())), k.ID),
		Input: worktest.Input{Text: t.red.Redact(first.Text), JSON: json.RawMessage(t.red.Redact(string(first.JSON)))}.Raw(),
	}
	in := run.Input{Text: first.Text, JSON: first.JSON}
	if in.Attachments, err = t.attach(c, first.Files); err != nil {
		return nil, err
	}
	was, err := t.earlierThan(ctx, k.ID)
	if err != nil {
		return nil, err
	}
	err = t.fill(ctx, c, k, w, in, was)
	if errors.Is(err, fault.Conflict) && len(was.before) > 0 { // once more, with the files as they were
		c.Files = was.before
		err = t.fill(ctx, c, k, w, in, was)
	}
	if f := fault.Of(err, fault.Conflict); err != nil && f.Code == fault.Conflict && len(was.made) > 0 && !errors.Is(err, worktest.ErrRemoved) {
		return nil, f.Hinting("since then runs have made %s: without them, the run may be played again", strings.Join(was.made, ", "))
	}
	if err != nil {
		return nil, err
	}
	return c, t.passes(ctx, c)
}

// fill plays a kept conversation again over the files of a case, and gives the case what came
// out.
func (t *Tests) fill(ctx context.Context, c *worktest.NewCase, k *conversation.Kept, w *project.Worker, in run.Input, was earlier) error {
	var recording bytes.Buffer
	rec := model.NewRecorder(&recording, t.of.platform.Version, t.red).ForTests()
	seen := &worktest.Observer{}
	player := worktest.NewKept(k, rec, t.red, seen)
	tree, err := treeOf(t.bare, worktest.Case{Files: c.Files})
	if err != nil {
		return err
	}
	r := t.bare.looker()
	r.Models, r.Files, r.Values, r.Doubles, r.Front = &testModels{t.bare.models, rec.Wrap(player)}, tree, testValues{}, player, quietFront{seen}
	r.Gate = t.bare.testGate(player)
	res := t.red.redact(r.Run(ctx, w, in))
	if differs := player.Differs(); differs != nil {
		return differs
	}
	switch {
	case res.Error == nil:
	case res.Error.Code == fault.Interrupted:
		return res.Error
	case res.Error.Code == fault.Replay: // its model failed, or it was steered or compacted
		return fault.New(fault.Conflict, "the run %s cannot be a case: %s", k.ID, res.Error.Message).Hinting("write the case yourself, and record it with golem test --record")
	}
	if err := rec.Err(); err != nil {
		return err
	}
	c.Answers, c.Output, c.Lines, c.Status = player.Answers(), worktest.ValueOf(res.Output), recording.Bytes(), seen.Outcome(res, nil).Status
	t.addChangedTexts(c, was.changed, tree.root)
	return nil
}

// passes plays a new case on its recording. It fails if the case does not pass.
func (t *Tests) passes(ctx context.Context, c *worktest.NewCase) error {
	text, err := worktest.YAML(t.reference(c.Worker), []*worktest.NewCase{c})
	if err != nil {
		return err
	}
	file, faults := worktest.Read(worktest.Dir+"/new.yaml", text)
	if len(faults) > 0 {
		return fault.New(fault.Conflict, "the run %s cannot be a case: %s", c.Run, faults[0].Message).Hinting("write the case yourself, and record it with golem test --record")
	}
	v := t.runCase(ctx, planned{file: file, one: file.Cases[0], model: config.Replay, made: c}, TestRun{Answers: run.ByModel})
	switch {
	case v.Fault != nil:
		return fault.New(fault.Conflict, "a case of the run %s cannot be played again: %s", c.Run, v.Fault.Message).Hinting("write the case yourself, and record it with golem test --record")
	case v.Status != worktest.Passed:
		return fault.New(fault.Conflict, "a case of the run %s gives something else when it is played again: %s: %s", c.Run, v.Misses[0].What, v.Misses[0].Got).Hinting("write the case yourself, and record it with golem test --record")
	}
	return nil
}

// Write writes cases with their recordings into the project, the recordings first. It replaces
// no file of tests.
func (t *Tests) Write(a *worktest.Accepted) error {
	for _, name := range a.Names() {
		if t.exists(name) {
			return fault.New(fault.Conflict, "there is a file %s now; nothing was written", name).Hinting("make the cases again")
		}
	}
	for i := len(a.Files) - 1; i >= 0; i-- {
		if err := t.put(a.Files[i].Path, a.Files[i].Content()); err != nil {
			return err
		}
	}
	return nil
}
