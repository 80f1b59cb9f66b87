package approval

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"golem/core/fault"
	"golem/core/tool"
)

func trustQuestion() Question {
	return Question{
		Kind: KindTrust, Title: "Send the key in K to h.example?", Call: "0.1", WorkerPath: []string{"main", "a"},
		Lines: []Line{{Path: "providers.acme.base_url", Value: "https://h.example/v1", Means: "the key leaves this machine", Where: "project.yaml:3"}},
	}
}

// SECURITY 19: the request of a question that is not about a tool call has an id, its kind and
// what a yes covers; only Yes counts as yes.
func TestQuestion(t *testing.T) {
	for answer, run := range map[Answer]bool{Yes: true, No: false, Session: false, Always: false, Never: false, "": false, "YES": false} {
		she := says(t, answer)
		rec, err := NewGate(Interactive, she).Ask(t.Context(), trustQuestion())
		if err != nil || rec.Run != run || rec.Source != "user" || run == (rec.Reason != "") || rec.Remember != "" {
			t.Errorf("%q: %+v %v", answer, rec, err)
		}
		r := she.asked[0]
		if r.ID == "" || r.Kind != KindTrust || r.Call != "0.1" || len(r.Lines) != 1 || r.Lines[0].Where != "project.yaml:3" ||
			r.Offers(Session) || r.Offers(Always) || !r.Offers(Yes) || !r.Offers(No) || r.Risk != "high" {
			t.Errorf("%+v", r)
		}
	}
}

// In mode auto_deny the answer is no and nobody is asked. approve_all is only about tool
// calls, so the person is asked. If nobody can be asked, the answer is no and the run lists it.
func TestQuestionAndModes(t *testing.T) {
	if rec, err := NewGate(AutoDeny, says(t)).Ask(t.Context(), trustQuestion()); err != nil || rec.Run || rec.Nobody || rec.Source != "mode" {
		t.Errorf("%+v %v", rec, err)
	}
	she := says(t, Yes)
	if rec, err := NewGate(ApproveAll, she).Ask(t.Context(), trustQuestion()); err != nil || !rec.Run || she.questions() != 1 {
		t.Errorf("%+v %v", rec, err)
	}
	if rec, err := NewGate(ApproveAll, nil).Ask(t.Context(), trustQuestion()); err != nil || rec.Run || !rec.Nobody {
		t.Errorf("%+v %v", rec, err)
	}
	broken := approverFunc(func(context.Context, Request) (Decision, error) { panic("gone") })
	if rec, err := NewGate("", broken).Ask(t.Context(), trustQuestion()); err != nil || rec.Run || rec.Nobody {
		t.Errorf("%+v %v", rec, err)
	}
}

// Scenario 44: a key needs confirmation while a tool asks. One question is open at a time, and
// an answer to another question counts as no to the open one.
func TestQuestionsNeverMix(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open, most := 0, 0
		var mu sync.Mutex
		var ids []string
		first := make(chan Decision)
		g := NewGate(Interactive, approverFunc(func(ctx context.Context, r Request) (Decision, error) {
			mu.Lock()
			open++
			most = max(most, open)
			ids = append(ids, r.ID)
			mu.Unlock()
			defer func() { mu.Lock(); open--; mu.Unlock() }()
			if r.Kind == KindTool {
				return <-first, nil
			}
			return Decision{ID: ids[0], Answer: Yes}, nil // too late: this answers the first question
		}))
		var tool1, key Record
		tl := plainTool("t", tool.Write)
		var wg sync.WaitGroup
		wg.Go(func() {
			_, _ = g.Call(t.Context(), Item{Tool: tl, FromModel: true, Call: tool.Call{Args: tool.ReadArguments([]byte(`{}`))}, By: observed(func(r Record) { tool1 = r })})
		})
		synctest.Wait()
		wg.Go(func() { key, _ = g.Ask(t.Context(), trustQuestion()) })
		synctest.Wait()
		if len(ids) != 1 {
			t.Errorf("%d questions at once", len(ids))
		}
		first <- Decision{ID: ids[0], Answer: Yes}
		wg.Wait()
		if most != 1 || !tool1.Run || key.Run || !strings.Contains(key.Reason, "another question") {
			t.Errorf("%d open at once, tool %+v, key %+v", most, tool1, key)
		}
	})
}

// A question that was settled while it waited for its turn is not asked. If its context ends
// while it waits, there is no answer.
func TestQuestionSettledMeanwhile(t *testing.T) {
	for _, yes := range []bool{true, false} {
		q := trustQuestion()
		q.Answers = knownAnswer(yes)
		rec, err := NewGate("", says(t)).Ask(t.Context(), q)
		if err != nil || rec.Run != yes || rec.Source != "cache" {
			t.Errorf("%+v %v", rec, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if rec, err := NewGate("", says(t)).Ask(ctx, trustQuestion()); !errors.Is(err, fault.Interrupted) || rec.Run {
		t.Errorf("%+v %v", rec, err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	g := NewGate("", approverFunc(func(ctx context.Context, r Request) (Decision, error) {
		cancel()
		return Decision{ID: r.ID, Answer: Yes}, nil
	}))
	if rec, err := g.Ask(ctx, trustQuestion()); !errors.Is(err, fault.Interrupted) || rec.Run {
		t.Errorf("a yes after the end: %+v %v", rec, err)
	}
	if rec, err := g.Ask(t.Context(), trustQuestion()); err != nil || !rec.Run {
		t.Errorf("later questions: %+v %v", rec, err)
	}
}

// Asking and its done enclose only the wait for the person, and Shown gets the request that is
// asked.
func TestQuestionBrackets(t *testing.T) {
	var order []string
	var shown Request
	q := trustQuestion()
	q.By = ordered{&order, nil, &shown}
	she := says(t, Yes)
	if _, err := NewGate("", she).Ask(t.Context(), q); err != nil || strings.Join(order, " ") != "asking shown answered" || shown.ID != she.asked[0].ID {
		t.Errorf("%v %q %+v", err, order, shown)
	}
}

// knownAnswer is a store that knows the answer.
type knownAnswer bool

func (k knownAnswer) Settled() (yes, known bool) { return bool(k), true }
func (knownAnswer) Answered(bool) error          { return nil }
