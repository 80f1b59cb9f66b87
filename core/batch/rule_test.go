package batch_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"testing"

	"golem/core/approval"
	"golem/core/batch"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/tool"
)

// writing returns a request to write a file, which a rule may answer.
func writing(path, content string) approval.Request {
	args, _ := json.Marshal(map[string]string{"path": path, "content": content})
	return approval.Request{
		Kind: approval.KindTool, Tool: "write_file", Risk: "medium", Args: args, ByRule: true,
		Paths: []tool.PathUse{{Op: "write", Path: path}},
	}
}

// TestRuleCoversWhatItsPatternsSay proves that a rule answers calls of its tool and module whose
// arguments match, and no others.
func TestRuleCoversWhatItsPatternsSay(t *testing.T) {
	rule, err := batch.NewRule(batch.QuestionOf(writing("/out/a", "x")), map[string]string{"path": "/out/**"})
	if err != nil {
		t.Fatal(err)
	}
	other := writing("/out/b", "y")
	other.Module = "evil.wasm @sha256:1"
	described := writing("/out/b", "y")
	described.Description = "Sends the file away."
	riskier := writing("/out/b", "y")
	riskier.Risk = "high"
	exact := writing("/out/b", "y")
	exact.ByRule = false
	moved := writing("/out/b", "y")
	moved.Paths = append(moved.Paths, tool.PathUse{Op: "write", Path: "/main/b"})
	spelled := writing("/out/../main/b", "y")
	spelled.Paths = nil // the tool previews nothing, so its argument may be any spelling
	for name, c := range map[string]struct {
		r    approval.Request
		want bool
	}{
		"the same directory":        {writing("/out/b/c", "y"), true},
		"another directory":         {writing("/outer/b", "y"), false},
		"another module":            {other, false},
		"another description":       {described, false},
		"another risk":              {riskier, false},
		"a call with no rule":       {exact, false},
		"a second path elsewhere":   {moved, false},
		"a path that nobody judged": {spelled, false},
	} {
		if got := rule.Covers(batch.QuestionOf(c.r)); got != c.want {
			t.Errorf("%s: covered %v", name, got)
		}
	}
	if _, err := batch.NewRule(batch.QuestionOf(exact), nil); !errors.Is(err, fault.Usage) {
		t.Errorf("a rule for a call with no rule: %v", err)
	}
	if _, err := batch.NewRule(batch.QuestionOf(other), map[string]string{"path": "/out/\u202e**"}); !errors.Is(err, fault.Usage) {
		t.Errorf("a pattern that cannot be seen: %v", err)
	}
}

// TestProposedRuleIsNarrow proves that the rule that is proposed for a path with the characters
// of patterns covers that path's directory and no other.
func TestProposedRuleIsNarrow(t *testing.T) {
	q := batch.QuestionOf(writing("/{a,main}*/x", "c"))
	rule, err := batch.NewRule(q, batch.Proposed(q, nil))
	if err != nil {
		t.Fatal(err)
	}
	if !rule.Covers(q) || rule.Covers(batch.QuestionOf(writing("/main/x", "c"))) || rule.Covers(batch.QuestionOf(writing("/{a,main}*/x", "other"))) {
		t.Errorf("the rule covers other calls: %v", rule)
	}
}

// TestAnswerToTheQuestionItself proves that an answer to a question counts before a rule, and of
// several answers the last.
func TestAnswerToTheQuestionItself(t *testing.T) {
	q := batch.QuestionOf(writing("/out/a", "x"))
	rule, err := batch.NewRule(q, nil)
	if err != nil {
		t.Fatal(err)
	}
	answers := []batch.Answer{{Key: q.Key, Answer: approval.Yes}, {Key: q.Key, Answer: approval.No}, {Rule: &rule, Answer: approval.Yes}}
	if a, known := batch.AnswerTo(answers, q); !known || a.Answer != approval.No {
		t.Errorf("the answer is %v, %v", a, known)
	}
	if a, known := batch.AnswerTo(answers, batch.QuestionOf(writing("/b", "x"))); !known || a.Answer != approval.Yes {
		t.Errorf("the answer of the rule is %v, %v", a, known)
	}
}

// parkedBatch returns a batch with one item that asks, closed.
func parkedBatch(t *testing.T, q batch.Question) (*local, *batch.Local) {
	l := &local{store: state.Memory(sandbox.Memory())}
	queue := l.Open(t, "a")
	lease, err := queue.Lease(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := lease.Ask(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	l.open.Close()
	read, err := batch.ReadLocal(&l.store)
	if err != nil {
		t.Fatal(err)
	}
	return l, read
}

// TestAnswersEditedByHand proves that answers that golem did not write on this machine in this
// batch answer nothing, and that golem says so (SECURITY 29).
func TestAnswersEditedByHand(t *testing.T) {
	q := batch.QuestionOf(writing("/out/a", "x"))
	l, read := parkedBatch(t, q)
	if err := read.Answer(batch.Answer{Key: q.Key, Answer: approval.No, By: "me"}); err != nil {
		t.Fatal(err)
	}
	const file = "answers.jsonl"
	data, err := fs.ReadFile(l.store.Files, file)
	if err != nil {
		t.Fatal(err)
	}
	for name, edited := range map[string]string{
		"another answer":          string(replaced(data, `"no"`, `"yes"`)),
		"a line by hand":          string(data) + `{"key":"` + q.Key + `","answer":"yes","by":"me"}` + "\n",
		"a line of another place": string(data) + string(data),
	} {
		if err := l.store.Files.WriteFile(file, []byte(edited)); err != nil {
			t.Fatal(err)
		}
		if _, err := batch.ReadLocal(&l.store); !errors.Is(err, fault.Trust) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := l.store.Files.WriteFile(file, data[:len(data)-3]); err != nil { // a process was killed
		t.Fatal(err)
	}
	again, err := batch.ReadLocal(&l.store)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Answer(batch.Answer{Key: q.Key, Answer: approval.Yes, By: "me"}); err != nil {
		t.Fatal(err)
	}
	if groups, err := again.Questions(false); err != nil || len(groups) != 1 {
		t.Errorf("before the answer is read: %v, %v", groups, err)
	}
	if last, err := batch.ReadLocal(&l.store); err != nil || last.Counts().Open != 1 {
		t.Errorf("an answer after a torn line is lost: %v", err)
	}
}

// TestQuestionEditedByHand proves that a question that is shown with other words than the item
// asked is refused.
func TestQuestionEditedByHand(t *testing.T) {
	l, _ := parkedBatch(t, batch.QuestionOf(writing("/main/secret", "x")))
	const file = "00000.marks.jsonl"
	data, err := fs.ReadFile(l.store.Files, file)
	if err == nil {
		err = l.store.Files.WriteFile(file, replaced(data, "/main/secret", "/out/letter0"))
	}
	if err != nil {
		t.Fatal(err)
	}
	read, err := batch.ReadLocal(&l.store)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := read.Questions(false); !errors.Is(err, fault.Trust) {
		t.Errorf("the changed question is shown: %v", err)
	}
}

func replaced(data []byte, old, text string) []byte {
	return bytes.ReplaceAll(data, []byte(old), []byte(text))
}

// An item that asks the same again, because nobody answered, is parked without another copy of its
// question.
func TestSameQuestionIsKeptOnce(t *testing.T) {
	l := &local{store: state.Memory(sandbox.Memory())}
	q := l.Open(t, "a")
	question := batch.QuestionOf(approval.Request{Kind: approval.KindTool, Tool: "send", Args: []byte(`{"to":"x"}`)})
	size := func() int64 {
		info, err := fs.Stat(l.store.Files, "00000.marks.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	first := int64(0)
	for range 3 {
		held, err := q.Lease(t.Context(), "")
		if err == nil {
			err = held.Ask(t.Context(), question)
		}
		if err != nil {
			t.Fatal(err)
		}
		if first == 0 {
			first = size()
		}
		q = l.Again(t)
		groups, err := l.open.Questions(false)
		if err != nil || len(groups) != 1 || size() != first {
			t.Errorf("%d questions, %d bytes instead of %d, %v", len(groups), size(), first, err)
		}
		l.open.Reconsider()
	}
}
