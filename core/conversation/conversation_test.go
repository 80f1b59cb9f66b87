package conversation_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
)

// copyOf returns a copy of a conversation, made by encoding and decoding it.
func copyOf(t *rapid.T, c *conversation.Conversation) *conversation.Conversation {
	out := &conversation.Conversation{}
	if err := json.Unmarshal(encoded(t, c), out); err != nil {
		t.Fatal(err)
	}
	return out
}

func encoded(t *rapid.T, c *conversation.Conversation) []byte {
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// turn adds one turn to a conversation: what the model answered and what the calls
// returned. It returns everything that the conversation's methods returned.
func turn(c *conversation.Conversation, text, tool, result string, failed bool) string {
	c.Turns++
	c.Calls++
	id := fmt.Sprint("0.", c.Calls)
	call := model.Call{ID: id, Name: tool, Args: `{"a": 1}`}
	c.Add(model.Message{Role: model.User, Text: text}, model.Message{
		Role: model.Assistant, Calls: []model.Call{call},
		Kept: &model.Kept{Provider: "p", Items: []json.RawMessage{json.RawMessage(`{"type":"reasoning"}`)}},
	})
	var flt *fault.Fault
	if failed {
		flt = fault.New(fault.Tool, "%s", result)
	}
	told := c.Repeats.Note(call, flt, result)
	c.Keep(conversation.Result{ID: id, Tool: tool, Worker: strings.TrimPrefix(tool, "tool"), Text: result, Cut: len(result) > 2})
	c.Add(model.Message{Role: model.ToolRole, CallID: id, Tool: tool, Text: result})
	hint := c.Repeats.EndTurn()
	found, missing := c.Find([]string{"a", tool}, func(ref, worker string) bool { return ref+ref == worker })
	whole, cut := c.CutText(id)
	drop, rest := c.Fit(200, model.EstimateTokens(c.Messages))
	dropped := c.Drop(drop, "")
	return fmt.Sprint(told, hint, c.Repeats.Stuck(), found, missing, whole, cut, drop, len(dropped), rest)
}

// A conversation that is encoded and decoded between turns continues in the same way as
// one that is not.
func TestGoesOnAfterDecoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		here := conversation.New("0#1", model.Message{Role: model.System, Text: "prompt"})
		there := copyOf(t, here)
		for range rapid.IntRange(1, 40).Draw(t, "turns") {
			text := rapid.StringN(0, 40, -1).Draw(t, "text")
			tool := rapid.SampledFrom([]string{"tool", "a", "aa", "worker"}).Draw(t, "tool")
			result := rapid.SampledFrom([]string{"", "ok", "long"}).Draw(t, "result")
			failed := rapid.Bool().Draw(t, "failed")
			if one, other := turn(here, text, tool, result, failed), turn(there, text, tool, result, failed); one != other {
				t.Fatalf("one says %s\nthe other %s", one, other)
			}
			if rapid.Bool().Draw(t, "kept") {
				there = copyOf(t, there)
			}
			if one, other := encoded(t, here), encoded(t, there); !bytes.Equal(one, other) {
				t.Fatalf("one is %s\nthe other %s", one, other)
			}
		}
	})
}

// Beyond 32 MiB the oldest results are dropped, but never the latest one.
func TestResultsAreBounded(t *testing.T) {
	c := conversation.New("0")
	for i, mib := range []int{10, 10, 10, 10, 40} {
		c.Keep(conversation.Result{ID: fmt.Sprint(i), Tool: "t", Text: strings.Repeat("x", mib<<20)})
		var ids []string
		for _, r := range c.Results {
			ids = append(ids, r.ID)
		}
		if got, want := strings.Join(ids, ""), []string{"0", "01", "012", "123", "4"}[i]; got != want {
			t.Errorf("after %d results there are %s, want %s", i+1, got, want)
		}
	}
}

// said returns messages from a short form: s system, u the person, n a note of golem, a the
// model, m a summary.
func said(form string) []model.Message {
	var out []model.Message
	for i, c := range form {
		m := model.Message{Role: map[rune]model.Role{'s': model.System, 'a': model.Assistant}[c], Text: fmt.Sprint(string(c), i)}
		if m.Role == "" {
			m.Role, m.Inner, m.Summary = model.User, c != 'u', c == 'm'
		}
		out = append(out, m)
	}
	return out
}

// form returns the short form of messages.
func form(messages []model.Message) string {
	out := ""
	for _, m := range messages {
		out += m.Text[:1]
	}
	return out
}

// A note that golem made for a message of the person goes with that message, and not with
// the exchange before it.
func TestNotesGoWithTheirMessage(t *testing.T) {
	for before, want := range map[string]string{
		"suanu": "snu", "suanuanu": "snu", "suannu": "snnu", "suu": "su", "sunu": "snu", "snuanu": "snu", "suananu": "snu", "smnuanu": "snu", "sunau": "su",
	} {
		c := conversation.New("0", said(before)...)
		dropped := c.Drop(c.Old(), "")
		if got := form(c.Messages); got != want || len(dropped) != len(before)-len(want) {
			t.Errorf("%s becomes %s, want %s", before, got, want)
		}
	}
	c := conversation.New("0", said("suanu")...)
	size := model.EstimateTokens(c.Messages)
	if d, rest := c.Fit(size-1, size); d != (conversation.Dropped{Exchanges: 1}) || rest != size-model.EstimateTokens(c.Messages[1:3]) {
		t.Errorf("%+v, and %d of %d tokens stay", d, rest, size)
	}
}

// A message that is taken back goes without what golem added to it, if it was the first.
func TestTakeBack(t *testing.T) {
	for before, want := range map[string]string{
		"su": "", "snu": "", "sun": "", "snun": "", "suanu": "suan", "smu": "sm", "sua": "sua", "suan": "suan", "suu": "su", "": "",
	} {
		c := conversation.New("0", said(before)...)
		c.TakeBack()
		if got := form(c.Messages); got != want {
			t.Errorf("%s becomes %q, want %q", before, got, want)
		}
	}
}

// What an older golem has dropped is dropped in the same way: its summaries stay. Later
// they go together.
func TestOlderSummaries(t *testing.T) {
	c := conversation.New("0", said("suaaa")...)
	for range 2 {
		c.Drop(conversation.Dropped{Turns: 1}, "summary")
	}
	if got := form(c.Messages); got != "sssua" {
		t.Fatal(got)
	}
	c.Add(said("a")...)
	d, rest := c.Replacing(conversation.Dropped{Turns: 1}, 1000)
	if want := 1000 - model.EstimateTokens(c.Messages[1:3]); !d.Summary || rest != want {
		t.Errorf("%+v, %d tokens stay, want %d", d, rest, want)
	}
	if dropped := c.Drop(d, "the summary"); len(dropped) != 3 || form(c.Messages) != "stua" {
		t.Errorf("%d messages go, %s stay", len(dropped), form(c.Messages))
	}
}
