package core

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/project"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/trace"
	"golem/core/worktest"
)

// Bounds of the files that a case lays over the project.
const (
	maxLaidFiles = 10_000
	maxLaidBytes = 256 << 20
)

// playRecorded runs a case on a recording or script.
func (t *Tests) playRecorded(ctx context.Context, p planned, how TestRun, in run.Input, v *worktest.Verdict) (worktest.Outcome, error) {
	w, err := workerOf(t.bare, p.file)
	if err != nil {
		return worktest.Outcome{}, err
	}
	v.Worker = w.ID
	models, recording, err := t.answers(p, false)
	if err != nil {
		return worktest.Outcome{}, err
	}
	tree, err := treeOf(t.bare, p.one)
	if err != nil {
		return worktest.Outcome{}, err
	}
	seen := &worktest.Observer{}
	doubles := worktest.NewDoubles(p.one.Results, recording, t.red)
	person := worktest.NewPerson(p.one.Answers, seen, doubles, nil)
	r := t.bare.looker()
	r.Models, r.Files, r.Values, r.Doubles, r.Front = models, tree, testValues{}, doubles, quietFront{seen}
	r.Gate, r.Answers = t.bare.testGate(person), how.Answers
	res := t.red.redact(r.Run(ctx, w, in))
	got := seen.Outcome(res, tree.root)
	t.cost(models, &got)
	v.Note(got)
	v.RecordedMS = model.RecordedMS(models.model)
	if how.written {
		if v.Written, err = writtenIn(t.bare, tree, p.one); err != nil {
			return got, err
		}
	}
	for _, missed := range []*fault.Fault{doubles.Missed(), doubles.Unserved(got.Calls)} {
		if missed != nil {
			return got, t.stale(p, missed)
		}
	}
	if missed := model.Missed(models.model); missed != nil {
		return got, t.stale(p, missed)
	}
	return got, notJudged(got, p.one.Expect)
}

// testGate returns the gate of a test: nothing is trusted, and no rule is saved.
func (i *Instance) testGate(person approval.Approver) *approval.Gate {
	set := i.project.Approval
	g := approval.NewGate(set.Mode, person)
	g.SandboxOnly, g.TaintAsk = !set.Trusted, set.TaintAsk
	return g
}

// notJudged returns the fault of a run that could not be judged, because this platform lacks
// something or the run was stopped, unless that is what the case expects.
func notJudged(got worktest.Outcome, want worktest.Expect) error {
	if got.Fault == nil || want.Status == got.Status {
		return nil
	}
	switch got.Fault.Code {
	case fault.Platform, fault.Interrupted, fault.Trust, fault.Replay:
		return got.Fault
	}
	return nil
}

// stale returns E_STALE for a run on a recording, with the line that records it again; for
// one on a script the fault itself.
func (t *Tests) stale(p planned, why *fault.Fault) error {
	if worktest.IsScript(p.model) {
		return why
	}
	message := why.Message
	for _, judge := range []bool{false, true} {
		if rest, ok := strings.CutPrefix(message, "replay:"+p.recording(judge)+" "); ok {
			message = "the recording " + rest
		}
	}
	return fault.New(fault.Stale, "%s", message).Hinting("look whether the change is meant, then record the case again: %s", worktest.RecordLine(p.file.Path, p.one.Name)).
		InPage("", "look whether the change is meant, then record the case again with Record")
}

// quietFront passes events to an observer; nobody sees a test run.
type quietFront struct{ trace.Sink }

// Asking does nothing.
func (quietFront) Asking() (done func()) { return func() {} }

// caseTree are the files of one case: the project's with those of the case over them, in
// memory.
type caseTree struct {
	root sandbox.FS
	from mounting
}

// Mount returns the tree, or a directory of its own outside it.
func (c caseTree) Mount(source string) (sandbox.FS, error) {
	if source == "." {
		return c.root, nil
	}
	return c.from.Mount(source)
}

// treeOf returns the files of a case.
func treeOf(i *Instance, c worktest.Case) (caseTree, error) {
	root, err := i.files().Mount(".")
	if err != nil {
		return caseTree{}, fault.Of(err, fault.NotFound)
	}
	out := caseTree{root, i.files()}
	if c.FilesFrom != "" {
		if err := copyOver(root, i.options.Files, c.FilesFrom); err != nil {
			return out, missing("files_from", c.FilesFrom, err)
		}
	}
	for _, f := range c.Laid {
		data, err := sandbox.ReadFile(i.options.Files, f.From, maxLaidBytes)
		if err != nil {
			return out, missing("files", f.From, err)
		}
		if err := root.WriteFile(f.To, data); err != nil {
			return out, fault.New(fault.Path, "files: %s cannot lie over the project: %s", f.To, fault.Of(err, fault.Path).Message)
		}
	}
	for name, text := range c.Files {
		if err := root.WriteFile(path.Clean(name), []byte(text)); err != nil {
			return out, fault.New(fault.Path, "files: %s cannot lie over the project: %s", name, fault.Of(err, fault.Path).Message)
		}
	}
	return out, nil
}

// copyOver copies the files of a directory over a tree. It follows no links.
func copyOver(root sandbox.FS, project fs.FS, dir string) error {
	files, size := 0, int64(0)
	return fs.WalkDir(project, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rest := strings.TrimPrefix(name, path.Clean(dir)+"/")
		if !d.Type().IsRegular() || sandbox.Secret(rest) {
			return nil
		}
		data, err := sandbox.ReadFile(project, name, maxLaidBytes)
		files, size = files+1, size+int64(len(data))
		switch {
		case err != nil:
			return err
		case files > maxLaidFiles || size > maxLaidBytes:
			return fault.New(fault.Limit, "the directory has more than %d files or %d bytes", maxLaidFiles, maxLaidBytes)
		}
		return root.WriteFile(rest, data)
	})
}

// testModels are the models of a test: one that answers from a recording or a script for
// every worker.
type testModels struct {
	run.Models // for Beginnings
	model      model.Model
}

// Open returns the model of the test, whatever the worker's is.
func (m *testModels) Open(context.Context, *project.Worker) (model.Model, error) {
	return m.model, nil
}

// answers opens the recording or script of a run; recording is the content of the first.
func (t *Tests) answers(p planned, judge bool) (models *testModels, recording []byte, err error) {
	c := model.Config{Redact: t.red, Embedded: t.bare.platform.Scripts, Scripts: &t.scripts}
	name := p.model
	if worktest.IsScript(name) && !judge {
		c.ReadFile = func(file string) ([]byte, error) {
			return sandbox.ReadFile(t.of.options.Files, path.Clean(file), maxAnswers)
		}
	} else {
		if recording, err = t.recorded(p, judge); err != nil {
			return nil, nil, err
		}
		c.ReadFile = func(string) ([]byte, error) { return recording, nil }
		name = "replay:" + p.recording(judge)
	}
	m, err := model.Open(name, c)
	if err != nil {
		f := fault.Of(err, fault.Replay)
		if recording != nil {
			f = f.Hinting("record the case again: %s", worktest.RecordLine(p.file.Path, p.one.Name)).InPage("", "Record makes another one")
		}
		return nil, nil, f
	}
	return &testModels{t.bare.models, m}, recording, nil
}

// recorded returns the recording of a run, or of its judge.
func (t *Tests) recorded(p planned, judge bool) ([]byte, error) {
	if p.made != nil && !judge {
		return p.made.Lines, nil
	}
	name := p.recording(judge)
	recording, err := sandbox.ReadFile(t.of.options.Files, name, maxAnswers)
	switch {
	case errors.Is(err, fs.ErrNotExist) && worktest.IsScript(p.model):
		return nil, fault.New(fault.Stale, "there is no recording of the judge, and none can be made, because the answers of the case come from %s: %s", p.model, name).
			Hinting("remove model: from the file, then record it: %s", worktest.RecordLine(p.file.Path, p.one.Name)).InPage("", "remove model: from the file, then Record makes one")
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.Stale, "there is no recording of the case yet: %s", name).Hinting("record it: %s", worktest.RecordLine(p.file.Path, p.one.Name)).InPage("", "Record makes one")
	case err != nil:
		return nil, fault.New(fault.Replay, "the recording %s cannot be read: %s", name, fault.Of(err, fault.Replay).Message)
	}
	return recording, nil
}

// maxAnswers is the largest recording or script of a test, in bytes.
const maxAnswers = 64 << 20

// cost sets what the recorded model would cost today.
func (t *Tests) cost(m *testModels, got *worktest.Outcome) {
	name := model.Recorded(m.model)
	if name == "" || got.Usage.In+got.Usage.Out == 0 {
		return
	}
	listing := t.of.models.Listing(name)
	if !listing.Priced {
		got.Usage.CostPartial = true
		return
	}
	u := got.Usage
	got.Usage.Cost = listing.Price.Of(u.In, u.Cached, u.Written, u.Out)
}

// writtenIn returns what a run made of the files of a case.
func writtenIn(i *Instance, after caseTree, c worktest.Case) (worktest.Written, error) {
	if len(sandbox.Changed(after.root)) == 0 {
		return nil, nil
	}
	before, err := treeOf(i, c)
	if err != nil {
		return nil, err
	}
	return worktest.WrittenIn(before.root, after.root)
}
