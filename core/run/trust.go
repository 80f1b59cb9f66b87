package run

import (
	"context"
	"strings"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/trace"
)

// Asker asks the person a question for a worker run.
type Asker func(context.Context, approval.Question) (approval.Record, error)

// question asks the person while all time limits of the tree stand still, and emits the
// answer (SECURITY 19).
func (f *frame) question(ctx context.Context, q approval.Question) (approval.Record, error) {
	q.Call, q.WorkerPath, q.Asking = f.id, f.chain, f.tree.ask
	q.Shown = func(r approval.Request) { f.tree.shown(f.at(), r) }
	rec, err := f.tree.r.Gate.Ask(ctx, q)
	if err != nil || rec.Source == "cache" {
		return rec, err
	}
	for _, body := range Outcome(q, rec) {
		if f.opening { // the run has not begun
			f.tree.r.Notices = append(f.tree.r.Notices, body)
		} else {
			f.emit(body)
		}
	}
	return rec, nil
}

// Outcome returns the trace's events for the answer to a question about trust: the answer,
// and a warning if it could not be saved.
func Outcome(q approval.Question, rec approval.Record) []trace.Body {
	out := []trace.Body{Answered(q, rec)}
	if rec.Unsaved != nil {
		out = append(out, trace.Warning{Code: fault.Trust, Message: "your yes counts for this run, but could not be saved: " + fault.Of(rec.Unsaved, fault.Config).Text()})
	}
	return out
}

// Answered returns the trace's event for the answer to a question that is not about a
// call. Its rule names what the answer holds for.
func Answered(q approval.Question, rec approval.Record) trace.Approval {
	lines := make([]string, len(q.Lines))
	for i, l := range q.Lines {
		lines[i] = l.Where + ": " + l.Path + ": " + l.Value
	}
	return trace.Approval{
		Kind: string(q.Kind), Setting: string(rec.Setting), Rule: strings.Join(lines, "; "), Source: rec.Source, Decision: decision(rec), Reason: rec.Reason,
	}
}

func decision(r approval.Record) string {
	if r.Run {
		return "run"
	}
	return "deny"
}

// unasked reports whether a fault stands for a question that nobody could be asked.
func (r *Runner) unasked(f *fault.Fault) bool {
	return f.Code == fault.Trust && r.Unattended != nil && r.Unattended()
}
