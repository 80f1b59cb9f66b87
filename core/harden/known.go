package harden

import (
	"context"
	"fmt"
	"strings"

	"golem/core/fault"
)

// Known judges the code that a worker has. It returns nil if a model could learn something: the
// code answers a case that the model would be shown otherwise than the worker did, or not at all,
// and the case was not among those of which the code was written.
func Known(ctx context.Context, worker string, code Code, cases Cases, written CaseList) (*Report, error) {
	shown, err := judge(ctx, code, cases.Shown)
	if err != nil || len(written.without(shown.open)) > 0 {
		return nil, err
	}
	held, err := judge(ctx, code, cases.Held)
	if err != nil {
		return nil, err
	}
	return &Report{
		Golem: "harden", V: 1, Worker: worker, Rounds: []Round{}, ShownCases: shown.Cases, HeldCases: held.Cases, Shown: shown, Held: held,
		After: costOf(shown, held), Advice: Advice{NothingNew: true, HeldNew: len(written.without(held.open))},
	}, nil
}

// nothingNew is the text of a report for which no model was asked.
func (r *Report) nothingNew() string {
	var b strings.Builder
	if r.Shown.Same == r.Shown.Cases {
		fmt.Fprintf(&b, "Nothing new: the code of %s answers all %d cases that a model would see as the worker did.\n", safe(r.Worker), r.ShownCases)
	} else {
		fmt.Fprintf(&b, "Nothing new: the code of %s answers %d of %d cases that a model would see as the worker did.\nThe others were there when it was written.\n", safe(r.Worker), r.Shown.Same, r.ShownCases)
	}
	b.WriteString("No model was asked, and nothing was written.\n")
	if r.HeldNew > 0 {
		fmt.Fprintf(&b, "%s, which the code does not answer as the worker did, would not be shown to a model.\nMore cases of this kind let it learn: run the worker on other inputs like it, or write tests.\n", fault.Count(r.HeldNew, "new case"))
	}
	b.WriteString("\n")
	r.rows(&b)
	r.differences(&b)
	r.writeUnused(&b)
	return b.String()
}

// rows writes how many cases of each part are the same.
func (r *Report) rows(b *strings.Builder) {
	fmt.Fprintf(b, "          %-8s %-8s %-8s %-8s\n", "same", "differ", "fail", "unsure")
	row := func(name string, p Part) {
		fmt.Fprintf(b, "  %-7s %-8s %-8d %-8d %-8d\n", name, fmt.Sprintf("%d/%d", p.Same, p.Cases), p.Differ, p.Fail, p.Unsure)
	}
	row("seen", r.Shown)
	row("unseen", r.Held)
}
