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
	switch answered := err == nil && rec.Source != "cache"; {
	case answered && f.opening: // the run has not begun
		f.tree.r.Notices = append(f.tree.r.Notices, Answered(q, rec))
	case answered:
		f.emit(Answered(q, rec))
	}
	return rec, err
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
