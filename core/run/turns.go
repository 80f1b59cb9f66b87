package run

import (
	"context"
	"fmt"

	"golem/core/approval"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/trace"
)

// spendTurn books a model request. If the root's turns are used up, by any worker, the
// root asks a person whether to continue (SPEC §5).
func (f *frame) spendTurn(ctx context.Context) error {
	for {
		full, err := f.budget.turn(f.prospect())
		root := f.root()
		if err == nil || full == nil || full != root.budget {
			return err
		}
		limit := root.worker.Limits.Turns
		more, stopped := root.askMore(ctx, question{
			title: fmt.Sprintf("%s has made %d model requests without an answer. Go on?", root.worker.ID, full.made()),
			line:  approval.Line{Path: "limits.turns", Value: fmt.Sprint(limit), Means: fmt.Sprintf("yes allows %d more, no ends the run with E_TURNS", limit)},
			moved: full.room,
			grant: full.extend,
		})
		if stopped != nil {
			return stopped
		}
		if !more {
			return err
		}
	}
}

// prospect returns what is known of the price of the next answer, and the model.
func (f *frame) prospect() prospect {
	price, name := model.Prospect(f.model, f.modelSettings)
	return prospect{name, price}
}

// goOn returns E_TURNS if a worker repeats itself, unless it is the root and the person
// lets it continue.
func (f *frame) goOn(ctx context.Context) error {
	stuck := f.conversation.Repeats.Stuck()
	if stuck == nil {
		return nil
	}
	if f.parent != nil {
		return stuck.InChain(f.chain)
	}
	if f.tree.kept != nil && f.tree.kept.Answer(f.conversation.Name, f.conversation.Turns+1, f.tree.step) != nil {
		f.conversation.Repeats.Again() // the person had let it continue
		return nil
	}
	more, stopped := f.askMore(ctx, question{
		title: fmt.Sprintf("%s makes the same calls again and again: %s. Go on?", f.worker.ID, stuck.Message),
		line:  approval.Line{Path: "the same call", Value: fmt.Sprint(conversation.StuckLimit), Means: fmt.Sprintf("yes allows %d more such turns, no ends the run with E_TURNS", conversation.StuckLimit)},
	})
	if stopped != nil {
		return stopped
	}
	if !more {
		return stuck.InChain(f.chain)
	}
	f.conversation.Repeats.Again()
	return nil
}

// question asks whether the root may continue.
type question struct {
	title string
	line  approval.Line
	moved func() bool // reports whether a yes to another question has made room already; nil: it cannot
	grant func()      // carries out a yes before the next question is asked; nil: the caller does
}

// askMore asks a person whether the root may continue, and shows the tokens used so far
// and their cost, if it is known. A no, or the absence of a person, holds for the rest
// of the exchange. The error is set only if ctx ends.
func (f *frame) askMore(ctx context.Context, q question) (yes bool, err error) {
	used := f.budget.spent()
	tokens := fmt.Sprintf("%d in, %d out", used.In, used.Out)
	if used.Estimated {
		tokens += " (estimated)"
	}
	lines := []approval.Line{q.line, {Path: "tokens so far", Value: tokens}}
	if cost := usage(used).CostText(); cost != "" {
		lines = append(lines, approval.Line{Path: "cost so far", Value: cost})
	}
	rec, err := f.tree.r.Gate.Ask(ctx, approval.Question{
		Kind: approval.KindTurns, Call: f.id, WorkerPath: f.chain, Title: q.title,
		Lines: lines,
		Settled: func() (yes, known bool) {
			if q.moved != nil && q.moved() {
				return true, true
			}
			return false, f.tree.hasEnough()
		},
		Answered: func(yes bool) error {
			switch {
			case !yes:
				f.tree.settleEnough(true)
			case q.grant != nil:
				q.grant()
			}
			return nil
		},
		Asking: f.tree.ask,
		Shown:  func(r approval.Request) { f.tree.shown(f.at(), r) },
	})
	if err != nil {
		return false, fault.Of(err, fault.Interrupted)
	}
	if rec.Answered {
		f.emit(trace.Approval{
			Kind: string(approval.KindTurns), Setting: string(rec.Setting), Rule: q.line.Path, Source: rec.Source,
			Decision: decision(rec), Reason: rec.Reason,
		})
	}
	return rec.Run, nil
}

// root returns the worker run at depth 0.
func (f *frame) root() *frame {
	for f.parent != nil {
		f = f.parent
	}
	return f
}

// hasEnough reports whether a person has said no to going on.
func (t *tree) hasEnough() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.enough
}

func (t *tree) settleEnough(no bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.enough = no
}
