// Package batchtest has the suite that every batch.Queue passes, on the files of one machine and
// over a network.
package batchtest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"golem/core/approval"
	"golem/core/batch"
	"golem/core/fault"
)

// Harness makes queues for the suite.
type Harness interface {
	// Open returns a queue with these keys as items, in this order. Opened again, it has them as
	// they were left: what was held is open.
	Open(t *testing.T, keys ...string) batch.Queue
	// Again returns the same queue as a process sees it that begins after the other was killed.
	Again(t *testing.T) batch.Queue
	// Results returns the results, in the order of the items.
	Results(t *testing.T) []batch.Result
	// Answer gives an answer as a person does.
	Answer(t *testing.T, a batch.Answer)
}

// Run runs the suite. Each case gets a harness of its own.
func Run(t *testing.T, harness func(t *testing.T) Harness) {
	t.Run("each item has one holder", func(t *testing.T) { oneHolder(t, harness(t)) })
	t.Run("a log is kept", func(t *testing.T) { logs(t, harness(t)) })
	t.Run("an append at another place is refused", func(t *testing.T) { places(t, harness(t)) })
	t.Run("blobs are kept", func(t *testing.T) { blobs(t, harness(t)) })
	t.Run("a released item goes on", func(t *testing.T) { released(t, harness(t)) })
	t.Run("a killed holder's item goes on", func(t *testing.T) { killed(t, harness(t)) })
	t.Run("an item that only kills fails", func(t *testing.T) { poison(t, harness(t)) })
	t.Run("an item that may have killed runs alone", func(t *testing.T) { suspects(t, harness(t)) })
	t.Run("an ended item is not given again", func(t *testing.T) { ended(t, harness(t)) })
	t.Run("a retried item begins anew", func(t *testing.T) { retried(t, harness(t)) })
	t.Run("an item that asks waits for its answer", func(t *testing.T) { asked(t, harness(t)) })
}

// lease returns the next item, which must be there.
func lease(t *testing.T, q batch.Queue) *batch.Lease {
	t.Helper()
	l, err := q.Lease(t.Context(), "test")
	if err != nil || l == nil {
		t.Fatalf("no item: %v", err)
	}
	return l
}

// none fails if an item is open.
func none(t *testing.T, q batch.Queue) {
	t.Helper()
	if l, err := q.Lease(t.Context(), "test"); l != nil || err != nil {
		t.Fatalf("an item is open: %v %v", l, err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func done(output string) batch.Result {
	return batch.Result{Status: batch.OK, Output: []byte(fmt.Sprintf("%q", output))}
}

func oneHolder(t *testing.T, h Harness) {
	q := h.Open(t, "a", "b", "c")
	seen := ""
	for range 3 {
		seen += lease(t, q).Item.Key
	}
	none(t, q)
	if seen != "abc" {
		t.Errorf("the items came as %s", seen)
	}
}

func logs(t *testing.T, h Harness) {
	l := lease(t, h.Open(t, "a"))
	must(t, l.Append(t.Context(), 0, batch.Line(`{"n":1}`), batch.Line(`"two"`)))
	must(t, l.Append(t.Context(), 2, batch.Line(`3`)))
	again := lease(t, h.Again(t))
	if got := fmt.Sprintf("%s", again.Log); got != `[{"n":1} "two" 3]` {
		t.Errorf("the log is %s", got)
	}
	must(t, again.Append(t.Context(), 3, batch.Line(`4`)))
}

func places(t *testing.T, h Harness) {
	l := lease(t, h.Open(t, "a"))
	must(t, l.Append(t.Context(), 0, batch.Line(`1`)))
	for _, at := range []int{0, 2} {
		if err := l.Append(t.Context(), at, batch.Line(`2`)); !errors.Is(err, fault.Conflict) {
			t.Errorf("an append at %d gives %v", at, err)
		}
	}
	must(t, l.Finish(t.Context(), done("x")))
	for what, err := range map[string]error{
		"append": l.Append(t.Context(), 1, batch.Line(`2`)), "finish": l.Finish(t.Context(), done("y")), "release": l.Release(t.Context()),
	} {
		if !errors.Is(err, fault.Conflict) {
			t.Errorf("%s after the end gives %v", what, err)
		}
	}
	if r := h.Results(t)[0]; string(r.Output) != `"x"` {
		t.Errorf("the result is %s", r.Output)
	}
}

func blobs(t *testing.T, h Harness) {
	l := lease(t, h.Open(t, "a"))
	data := []byte("\x00\n a file \xff")
	digest, err := l.PutBlob(t.Context(), data)
	must(t, err)
	must(t, l.Append(t.Context(), 0, batch.Line(`1`)))
	again := lease(t, h.Again(t))
	got, err := again.Blob(t.Context(), digest)
	if err != nil || string(got) != string(data) {
		t.Errorf("the blob is %q, %v", got, err)
	}
	if _, err := again.Blob(t.Context(), "0000"); !errors.Is(err, fault.NotFound) {
		t.Errorf("a blob that nobody kept gives %v", err)
	}
}

func released(t *testing.T, h Harness) {
	q := h.Open(t, "a", "b")
	l := lease(t, q)
	must(t, l.Append(t.Context(), 0, batch.Line(`1`)))
	must(t, l.Release(t.Context()))
	if b := lease(t, q); b.Item.Key != "b" {
		t.Errorf("%s comes before b", b.Item.Key)
	}
	a := lease(t, q)
	if a.Attempt != 2 || len(a.Log) != 1 {
		t.Errorf("attempt %d with %d lines", a.Attempt, len(a.Log))
	}
	if err := l.Append(t.Context(), 1, batch.Line(`2`)); !errors.Is(err, fault.Conflict) {
		t.Errorf("the holder before can append: %v", err)
	}
}

func killed(t *testing.T, h Harness) {
	q := h.Open(t, "a", "b")
	must(t, lease(t, q).Finish(t.Context(), done("x")))
	must(t, lease(t, q).Append(t.Context(), 0, batch.Line(`1`)))
	q = h.Again(t)
	b := lease(t, q)
	if b.Item.Key != "b" || b.Attempt != 2 || len(b.Log) != 1 {
		t.Errorf("%s, attempt %d with %d lines", b.Item.Key, b.Attempt, len(b.Log))
	}
	none(t, q)
}

func poison(t *testing.T, h Harness) {
	q := h.Open(t, "a")
	for range 2 {
		lease(t, q)
		q = h.Again(t)
	}
	must(t, lease(t, q).Append(t.Context(), 0, batch.Line(`1`))) // progress counts
	q = h.Again(t)
	for n := range 2 {
		must(t, lease(t, q).Note(t.Context(), n+1, batch.Line(`2`))) // this does not
		q = h.Again(t)
	}
	lease(t, q)
	none(t, h.Again(t))
	if r := h.Results(t)[0]; r.Status != batch.Failed || r.Error == nil {
		t.Errorf("the item is %s: %v", r.Status, r.Error)
	}
}

func suspects(t *testing.T, h Harness) {
	q := h.Open(t, "a", "b", "c")
	lease(t, q)
	q = h.Again(t)
	must(t, lease(t, q).Append(t.Context(), 0, batch.Line(`1`)))
	lease(t, q)
	lease(t, q) // a, the second time, and c, the first
	q = h.Again(t)
	b, c := lease(t, q), lease(t, q)
	if b.Item.Key != "b" || c.Item.Key != "c" {
		t.Errorf("%s and %s come first", b.Item.Key, c.Item.Key)
	}
	none(t, q)
	must(t, b.Finish(t.Context(), done("x")))
	none(t, q)
	must(t, c.Release(t.Context()))
	a := lease(t, q)
	if a.Item.Key != "a" {
		t.Errorf("%s comes, and not a", a.Item.Key)
	}
	none(t, q)
	must(t, a.Finish(t.Context(), done("x")))
	must(t, lease(t, q).Finish(t.Context(), done("x")))
	none(t, q)
}

func ended(t *testing.T, h Harness) {
	q := h.Open(t, "a", "b", "c")
	for _, s := range []batch.Status{batch.OK, batch.NeedsInput, batch.Failed} {
		r := done(string(s))
		r.Status = s
		must(t, lease(t, q).Finish(t.Context(), r))
	}
	none(t, q)
	none(t, h.Again(t))
	for n, r := range h.Results(t) {
		if r.Item != string(rune('a'+n)) || string(r.Output) != fmt.Sprintf("%q", r.Status) || r.Attempt != 1 {
			t.Errorf("item %d: %+v", n, r)
		}
	}
}

func retried(t *testing.T, h Harness) {
	q := h.Open(t, "a")
	l := lease(t, q)
	must(t, l.Append(t.Context(), 0, batch.Line(`1`)))
	must(t, l.Retry(t.Context(), batch.Result{Status: batch.Failed}))
	if err := l.Finish(t.Context(), done("x")); !errors.Is(err, fault.Conflict) {
		t.Errorf("the holder before can end it: %v", err)
	}
	if r := h.Results(t)[0]; r.Status != batch.Open {
		t.Errorf("the item is %s", r.Status)
	}
	l = lease(t, h.Again(t))
	if l.Attempt != 2 || l.Failures != 1 || len(l.Log) != 0 {
		t.Errorf("attempt %d after %d failures with %d lines", l.Attempt, l.Failures, len(l.Log))
	}
	must(t, l.Append(t.Context(), 0, batch.Line(`1`)))
	l = lease(t, h.Again(t))
	if l.Attempt != 3 || l.Failures != 1 {
		t.Errorf("killed after a failure: attempt %d after %d failures", l.Attempt, l.Failures)
	}
	must(t, l.Finish(t.Context(), done("x")))
	if r := h.Results(t)[0]; r.Status != batch.OK {
		t.Errorf("the item is %s", r.Status)
	}
}

func asked(t *testing.T, h Harness) {
	q := h.Open(t, "a", "b")
	question := batch.QuestionOf(approval.Request{Kind: approval.KindTool, Tool: "send", Args: []byte(`{"to":"x"}`)})
	for range 2 {
		l := lease(t, q)
		must(t, l.Append(t.Context(), 0, batch.Line(`1`)))
		must(t, l.Ask(context.WithoutCancel(t.Context()), question))
	}
	none(t, q)
	none(t, h.Again(t))
	h.Answer(t, batch.Answer{Key: question.Key, Answer: approval.Yes, By: "me"})
	q = h.Again(t)
	if l := lease(t, q); len(l.Log) != 1 || l.Attempt != 2 {
		t.Errorf("attempt %d with %d lines", l.Attempt, len(l.Log))
	}
	lease(t, q)
	answers, err := q.Answers(t.Context())
	if err != nil || len(answers) != 1 || answers[0].Answer != approval.Yes || answers[0].By != "me" {
		t.Errorf("the answers are %v, %v", answers, err)
	}
}
