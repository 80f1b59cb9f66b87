package run

import (
	"context"
	"fmt"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/trace"
)

// Keys keeps beyond a run which key a person let go to which host that is not
// the provider's own (SPEC §3).
type Keys interface {
	// Confirmed reports whether a person agreed before. An error refuses.
	Confirmed(variable, host string) (bool, error)
	// Confirm keeps a yes. An error is told; the yes holds for the run.
	Confirm(variable, host string) error
}

// foreignKey is what a yes covers.
type foreignKey struct{ variable, host string }

// confirmKey asks, before an exchange's clock starts, whether the model's key
// may go to the host that the project chose. No pair is asked about twice in a
// tree. The question is the gate's, one at a time with those about tools, and
// while it is open every limit stands still (SECURITY 19).
func (f *frame) confirmKey(ctx context.Context) error {
	need := model.AsksFor(f.model)
	if need == nil {
		return nil
	}
	key := foreignKey{need.Variable, need.Host}
	err, known := f.tree.keyAnswer(key)
	if !known {
		err = f.keyKept(key)
	}
	if err == errNotKept {
		err = f.askKey(ctx, key, need)
	}
	if err == nil {
		need.Allow()
	}
	return err
}

// errNotKept says that no person agreed before.
var errNotKept = fault.New(fault.Trust, "not confirmed")

func (f *frame) keyKept(key foreignKey) error {
	if f.tree.r.Keys == nil {
		return errNotKept
	}
	kept, err := f.tree.r.Keys.Confirmed(key.variable, key.host)
	switch {
	case err != nil:
		return fault.Of(err, fault.Config)
	case !kept:
		return errNotKept
	}
	f.tree.settleKey(key, nil)
	return nil
}

// askKey puts the question and settles it for the rest of the tree, unless it
// got no answer of its own: then the next request asks again.
func (f *frame) askKey(ctx context.Context, key foreignKey, need *model.ForeignKey) error {
	until := "in this run"
	if f.tree.r.Keys != nil {
		until = "now and from now on"
	}
	rec, err := f.tree.r.Gate.Ask(ctx, approval.Question{
		Kind: approval.KindKey, Call: f.id, WorkerPath: f.chain,
		Title: fmt.Sprintf("Send the key in %s to %s, %s?", key.variable, key.host, until),
		Lines: []approval.Line{{
			Path: "providers." + need.Provider, Value: key.variable + " → " + key.host,
			Means: "the project chose this host; it is not the built-in address of the provider that the key is for",
		}},
		Settled: func() (yes, known bool) { err, known := f.tree.keyAnswer(key); return err == nil, known },
		Asking:  f.tree.ask,
		Shown:   func(r approval.Request) { f.tree.shown(f.at(), r) },
	})
	if err != nil {
		return err // the run was stopped: nothing is settled
	}
	if rec.Source == "cache" {
		err, _ := f.tree.keyAnswer(key)
		return err
	}
	subject := "the key in " + key.variable + " for " + key.host
	f.emit(trace.Approval{
		Kind: string(approval.KindKey), Setting: string(rec.Setting), Rule: subject, Source: rec.Source,
		Decision: decision(rec), Reason: rec.Reason,
	})
	if rec.Nobody {
		f.tree.deny(Denial{ID: f.id, Tool: subject})
	}
	if !rec.Run {
		err = need.Refused(rec.Reason)
	} else if f.tree.r.Keys != nil {
		if kept := f.tree.r.Keys.Confirm(key.variable, key.host); kept != nil {
			f.emit(trace.Warning{Code: fault.Config, Message: fault.Of(kept, fault.Config).Text()})
		}
	}
	if rec.Answered || rec.Nobody || rec.Source == "mode" {
		f.tree.settleKey(key, err)
	}
	return err
}

// keyAnswer is what was settled about a key in this tree.
func (t *tree) keyAnswer(key foreignKey) (err error, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	err, known = t.keys[key]
	return err, known
}

func (t *tree) settleKey(key foreignKey, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.keys == nil {
		t.keys = map[foreignKey]error{}
	}
	t.keys[key] = err
}

func decision(r approval.Record) string {
	if r.Run {
		return "run"
	}
	return "deny"
}
