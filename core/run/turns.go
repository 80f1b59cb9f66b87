package run

import (
	"context"
	"fmt"

	"golem/core/approval"
	"golem/core/conversation"
	"golem/core/model"
)

// spendTurn books a model request. If the root's turns are used up, by any worker, the
// root asks a person whether to continue (SPEC §5).
func (f *workerRun) spendTurn(ctx context.Context) error {
	for {
		price, name := model.Prospect(f.model, f.settings)
		full, err := f.budget.bookTurn(prospect{name, price})
		root := f.root()
		if err == nil || full == nil || full != f.budget.root() {
			return err
		}
		limit := root.worker.Limits.Turns
		more, stopped := f.tree.person.askMore(ctx, root, full, moreQuestion{
			title: fmt.Sprintf("%s has made %d model requests without an answer. Go on?", root.worker.ID, full.turnsBooked()),
			line:  approval.Line{Path: "limits.turns", Value: fmt.Sprint(limit), Means: fmt.Sprintf("yes allows %d more, no ends the run with E_TURNS", limit)},
			turns: true,
		})
		if stopped != nil {
			return stopped
		}
		if !more {
			return err
		}
	}
}

// goOn returns E_TURNS if a worker repeats itself, unless it is the root and the person
// lets it continue.
func (f *workerRun) goOn(ctx context.Context) error {
	stuck := f.conversation.Repeats.Stuck()
	if stuck == nil {
		return nil
	}
	if f.caller != nil {
		return stuck.InChain(f.chain)
	}
	if f.tree.replay.answered(f) {
		f.conversation.Repeats.Again() // the person had let it continue
		return nil
	}
	if f.tree.replay.ending() != nil { // the exchange ended here, and nobody is asked again
		return f.tree.replay.end()
	}
	more, stopped := f.tree.person.askMore(ctx, &f.place, f.budget, moreQuestion{
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

// moreQuestion asks whether the root may continue.
type moreQuestion struct {
	title string
	line  approval.Line
	turns bool // its turns are used up: a yes allows as many again
}

// askMore asks a person whether the root may continue, and shows the tokens used so far
// and their cost, if it is known. A no, or the absence of a person, holds for the rest
// of the exchange. The error is set only if ctx ends.
func (p *person) askMore(ctx context.Context, root *place, b *budget, q moreQuestion) (yes bool, err error) {
	used := b.spent()
	tokens := fmt.Sprintf("%d in, %d out", used.In, used.Out)
	if used.Estimated {
		tokens += " (estimated)"
	}
	lines := []approval.Line{q.line, {Path: "tokens so far", Value: tokens}}
	if cost := usage(used).CostText(); cost != "" {
		lines = append(lines, approval.Line{Path: "cost so far", Value: cost})
	}
	rec, err := p.ask(ctx, root, approval.Question{
		Kind: approval.KindTurns, Title: q.title, Lines: lines, Answers: moreAnswers{p, b, q.turns},
	}, q.line.Path)
	return rec.Run && err == nil, err
}

// moreAnswers keeps the answers to questions whether a run may continue.
type moreAnswers struct {
	person *person
	budget *budget
	turns  bool // the question is about turns
}

// Settled is yes if a yes to another question has made room already, and no after a no.
func (a moreAnswers) Settled() (yes, known bool) {
	if a.turns && a.budget.hasTurn() {
		return true, true
	}
	return false, a.person.refusedMore.Load()
}

// Answered makes room after a yes.
func (a moreAnswers) Answered(yes bool) error {
	switch {
	case !yes:
		a.person.refusedMore.Store(true)
	case a.turns:
		a.budget.extend()
	}
	return nil
}
