package core

import (
	"bytes"
	"context"
	"strings"
	"sync"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/worktest"
)

// instance returns the project as it is opened for a real model.
func (t *Tests) instance(how TestRun, model string) (*Instance, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := t.live[model]; i != nil {
		return i, nil
	}
	i, err := how.Live.OpenLive(model)
	if err != nil {
		return nil, err
	}
	if !i.options.InMemory() {
		return nil, fault.New(fault.Usage, "a test must not change the project: its files must be in memory")
	}
	kept, _ := i.values.personSecrets()
	i.values.add(kept...)
	t.red.add(platformSecrets(i.platform)...)
	t.live[model] = i
	return i, nil
}

// playLive runs a case with a real model, and writes the recording if it is asked for. The
// person is asked about what the model's calls do beyond the files of the case.
func (t *Tests) playLive(ctx context.Context, p planned, how TestRun, in run.Input, v *worktest.Verdict) (worktest.Outcome, error) {
	i, err := t.instance(how, p.model)
	if err != nil {
		return worktest.Outcome{}, err
	}
	w, err := workerOf(i, p.file)
	if err != nil {
		return worktest.Outcome{}, err
	}
	v.Worker = w.ID
	if v.Model = p.model; v.Model == "" {
		v.Model = w.Model
	}
	tree, err := treeOf(i, p.one)
	if err != nil {
		return worktest.Outcome{}, err
	}
	var recording bytes.Buffer
	var rec *model.Recorder
	if how.Record {
		rec = model.NewRecorder(&recording, i.platform.Version, i.values).ForTests()
	}
	seen := &worktest.Observer{}
	doubles := worktest.NewRecorder(rec, i.values)
	var beyond approval.Approver = nobodyThere{}
	if how.Person != nil {
		beyond = &oneAtATime{&t.asking, how.Person}
	}
	person := worktest.NewPerson(p.one.Answers, seen, doubles, beyond)
	front := quietFront{seen}
	gate := i.gate(person, nil)
	if _, err := i.consent.Before(ctx, w, gate, front); err != nil {
		return worktest.Outcome{}, err
	}
	r := i.looker()
	r.Models, r.Gate, r.Front, r.Trust, r.Files, r.Doubles = i.models, gate, front, i.consent, tree, doubles
	r.Answers = how.Answers
	if rec != nil {
		r.Models, r.Answers = recorded{i.models, rec}, run.ByModel
	}
	got := seen.Outcome(i.values.redact(r.Run(ctx, w, in)), tree.root)
	v.Note(got)
	if err := notJudged(got, p.one.Expect); err != nil {
		return got, err
	}
	if got.Fault != nil && got.Status != p.one.Expect.Status && got.Fault.Code == fault.Model {
		return got, got.Fault // the provider failed, not the worker
	}
	if rec != nil {
		v.Recorded = p.recording(false)
		return got, t.keepRecording(v.Recorded, recording.Bytes(), rec.Err())
	}
	return got, nil
}

// oneAtATime asks a person one question at a time.
type oneAtATime struct {
	mu     *sync.Mutex
	person approval.Approver
}

// Approve waits for its turn, and asks.
func (o *oneAtATime) Approve(ctx context.Context, r approval.Request) (approval.Decision, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return approval.Decision{}, err
	}
	return o.person.Approve(ctx, r)
}

// nobodyThere answers no question.
type nobodyThere struct{}

// Approve returns approval.ErrNobody.
func (nobodyThere) Approve(context.Context, approval.Request) (approval.Decision, error) {
	return approval.Decision{}, approval.ErrNobody
}

// keepRecording writes a recording into the project, if it is complete.
func (t *Tests) keepRecording(name string, data []byte, err error) error {
	if err != nil {
		return fault.New(fault.Replay, "the recording %s is not complete: %w", name, err)
	}
	return t.put(name, data)
}

// score lets the judge of a case give the output a score.
func (t *Tests) score(ctx context.Context, p planned, how TestRun, got worktest.Outcome, v *worktest.Verdict) error {
	judge := p.one.Expect.Judge
	i := t.bare
	if p.live {
		var err error
		if i, err = t.instance(how, p.model); err != nil {
			return err
		}
	}
	w, err := i.project.Workers.Find(judge.Worker)
	if err != nil {
		return err
	}
	seen := &worktest.Observer{}
	gate := approval.NewGate(approval.AutoDeny, nobodyThere{})
	r := i.looker()
	r.Files, r.Gate, r.Front, r.Values = caseTree{sandbox.Memory(), i.files()}, gate, quietFront{seen}, testValues{}
	if set, err := r.Callables(ctx, w); err != nil {
		return err
	} else if names := set.Names(); len(names) > 0 {
		return fault.New(fault.Usage, "the judge %s has tools, and a judge only reads: %s", w.ID, strings.Join(names, ", ")).Hinting("remove its toolsets; set tools.offer: listed if the project's modules are offered to every worker")
	}
	in := run.Input{JSON: worktest.JudgeInput(p.one, got)}
	var recording bytes.Buffer
	var rec *model.Recorder
	var models *testModels
	switch {
	case !p.live:
		if models, _, err = t.answers(p, true); err != nil {
			return err
		}
		r.Models, r.Doubles = models, worktest.NewDoubles(nil, nil, t.red)
	case how.Record:
		rec = model.NewRecorder(&recording, i.platform.Version, i.values).ForTests()
		r.Models, r.Trust = recorded{i.models, rec}, i.consent
	default:
		r.Models, r.Trust = i.models, i.consent
	}
	res := i.values.redact(r.Run(ctx, w, in))
	if models != nil {
		if missed := model.Missed(models.model); missed != nil {
			return t.stale(p, missed)
		}
	}
	if rec != nil && res.Error == nil {
		if err := t.keepRecording(p.recording(true), recording.Bytes(), rec.Err()); err != nil {
			return err
		}
	}
	if res.Error != nil {
		return res.Error
	}
	return judge.Apply(res.Output, v)
}
