package run

import (
	"strings"
	"time"

	"golem/core/conversation"
	"golem/core/model"
	"golem/core/trace"
)

// thinking shows what the model of a worker reasons in one turn, and measures it. Nothing of
// it goes to a model; the beginning of what the root's model reasons is kept for the person.
type thinking struct {
	f     *workerRun
	since time.Time // when it began; zero: it does not reason now
	took  time.Duration
	bytes int
	text  strings.Builder // the beginning, of the root
}

// piece shows a piece of the reasoning.
func (t *thinking) piece(text string) {
	if t.since.IsZero() {
		t.since = t.f.tree.r.now()
	}
	t.bytes += len(text)
	if t.f.depth == 0 && t.text.Len() < conversation.MaxReasoning {
		t.text.WriteString(text)
	}
	t.f.emit(trace.Reasoning{Text: text})
}

// pause says that the reasoning has ended for now, because the answer begins or has ended.
// broken says that the model was stopped or failed.
func (t *thinking) pause(broken bool) {
	if t.since.IsZero() {
		return
	}
	t.took += t.f.tree.r.now().Sub(t.since)
	t.since = time.Time{}
	t.f.emit(trace.Reasoning{Over: t.spent(0), Broken: broken})
}

// spent returns how long and how much the model has reasoned, nil if it has not. tokens is
// what the provider counts; 0: it does not say.
func (t *thinking) spent(tokens int) *trace.Reasoned {
	switch {
	case tokens > 0:
		return &trace.Reasoned{MS: t.took.Milliseconds(), Tokens: tokens}
	case t.bytes > 0:
		return &trace.Reasoned{MS: t.took.Milliseconds(), Tokens: (t.bytes + model.BytesToken - 1) / model.BytesToken, Estimated: true}
	}
	return nil
}

// keptThought returns what is kept of the reasoning; nil: nothing. stopped says that the model has
// not ended it.
func (t *thinking) keptThought(tokens int, stopped bool) *conversation.Thought {
	var size conversation.ThoughtSize
	if s := t.spent(tokens); s != nil {
		size = conversation.ThoughtSize(*s)
	}
	text := t.text.String()
	return t.f.tree.r.Keeping.Journal.ThoughtOf(text, stopped || len(text) < t.bytes, size)
}
