package model

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Scenario 52: what a provider sent with a message or a call goes back to it unchanged
// on that message or call, and never to another provider.
func TestKeptGoesBackToItsProviderOnly(t *testing.T) {
	message := fields{
		"reasoning_content": js(`""`), "reasoning_details": js(`[{"type":"reasoning.text","text":"<hm>"}]`), "extra_content": js(`{"google":{"thought":true}}`),
		"role": js(`"system"`), "tool_calls": js(`[]`), // golem sets these itself, so they are not carried
	}
	call := fields{"extra_content": js(`{"google":{"thought_signature":"s"}}`), "function": js(`{}`)}
	history := func(provider string) Request {
		return Request{Messages: []Message{
			{Role: User, Text: "x"},
			{Role: Assistant, Calls: []Call{{ID: "call00001", Name: "a", Args: "{}"}, {ID: "call00002", Name: "b", Args: "{}"}},
				Kept: &Kept{Provider: provider, Message: message, Calls: []fields{call, nil}}},
			{Role: ToolRole, CallID: "call00001", Text: "1"}, {Role: ToolRole, CallID: "call00002", Text: "2"},
			{Role: Assistant, Text: "said", Kept: &Kept{Provider: provider, Message: message}},
			{Role: User, Text: "on"},
		}}
	}
	wants := map[string]string{"deepseek": "reasoning_content", "openrouter": "reasoning_details", "google": "extra_content"}
	for _, provider := range []string{"deepseek", "openrouter", "google", "openai"} {
		for _, from := range []string{"deepseek", "openrouter", "google", "openai"} {
			body := sent(t, provider+":m", history(from))["messages"].([]any)
			for _, at := range []int{1, 4} {
				one := body[at].(map[string]any)
				if one["role"] != "assistant" {
					t.Errorf("%s changed the role", provider)
				}
				for _, name := range wants {
					got, has := one[name]
					if filler, fills := rowOf(provider).Quirks.Fill[name]; fills && provider != from && at == 1 {
						same(t, got, string(quote(filler)))
						continue
					}
					if has != (provider == from && wants[provider] == name) {
						t.Errorf("%s of %s goes to %s: %v", name, from, provider, has)
					} else if has {
						same(t, got, string(message[name]))
					}
				}
			}
			calls := body[1].(map[string]any)["tool_calls"].([]any)
			extra, has := calls[0].(map[string]any)["extra_content"]
			if provider == "google" && from != "google" {
				same(t, extra, `{"google":{"thought_signature":"skip_thought_signature_validator"}}`)
			} else if has != (provider == "google" && from == "google") {
				t.Errorf("the signature of %s goes to %s: %v", from, provider, has)
			} else if has {
				same(t, extra, string(call["extra_content"]))
			}
			if _, has := calls[1].(map[string]any)["extra_content"]; has {
				t.Error("a signature on the wrong call")
			}
		}
	}
}

func rowOf(name string) Provider {
	row, _ := builtin(name)
	return row
}

// The members that a provider requires in each answer with calls are in the request
// even if another provider made the answer, or this one sent none.
func TestFilled(t *testing.T) {
	calls := `"tool_calls":[{"id":"a"},{"id":"b"}]`
	fill := map[string]string{"reasoning_content": " ", "tool_calls.extra.sign": "none"}
	for message, want := range map[string]string{
		`{"role":"assistant",` + calls + `}`:                        `{"role":"assistant","reasoning_content":" ","tool_calls":[{"id":"a","extra":{"sign":"none"}},{"id":"b"}]}`,
		`{"reasoning_content":"",` + calls + `}`:                    `{"reasoning_content":" ","tool_calls":[{"id":"a","extra":{"sign":"none"}},{"id":"b"}]}`,
		`{"reasoning_content":"hm","tool_calls":[{"extra":{}}]}`:    `{"reasoning_content":"hm","tool_calls":[{"extra":{}}]}`,
		`{"reasoning_content":"hm","tool_calls":[{"extra":"own"}]}`: `{"reasoning_content":"hm","tool_calls":[{"extra":"own"}]}`,
	} {
		got, err := filled(json.RawMessage(message), fill)
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(got, &value); err != nil {
			t.Fatal(err)
		}
		same(t, value, want)
	}
}

// Kept survives encoding in the conversation's file, and redaction removes secrets from it.
func TestKeptIsKept(t *testing.T) {
	k := &Kept{Provider: "google", Message: fields{"a": js(`"the secret"`)}, Calls: []fields{nil, {"b": js(`{"c":1}`)}}}
	data, err := json.Marshal(Message{Role: Assistant, Kept: k})
	if err != nil {
		t.Fatal(err)
	}
	var back Message
	if err := json.Unmarshal(data, &back); err != nil || cmp.Diff(k, back.Kept) != "" {
		t.Error(err, cmp.Diff(k, back.Kept))
	}
	hide := replacing{"secret"}
	if got := string(k.redacted(hide).Message["a"]); got != `"the [redacted]"` {
		t.Error(got)
	}
	if k.redacted(replacing{"{"}) != nil || (*Kept)(nil).redacted(hide) != nil {
		t.Error("what redaction spoils is kept")
	}
}

// The encoding that history keeps is the same as a new one, also after messages were
// added, removed or changed in the middle.
func TestHistoryIsEncodedAsAnew(t *testing.T) {
	row, _ := builtin("google")
	message := rapid.Custom(func(t *rapid.T) Message {
		m := Message{Role: rapid.SampledFrom([]Role{System, User, Assistant, ToolRole}).Draw(t, "role"), Text: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "text")}
		switch m.Role {
		case Assistant:
			if rapid.Bool().Draw(t, "call") {
				m.Calls = []Call{{ID: "call00001", Name: "n", Args: rapid.SampledFrom([]string{"{}", "x"}).Draw(t, "args")}}
				m.Kept = &Kept{Provider: "google", Calls: []fields{{"extra_content": js(`1`)}}}
			}
		case ToolRole, User:
			if rapid.Bool().Draw(t, "part") {
				m.Parts = []Part{{Kind: "text", Name: "f", Data: []byte(m.Text)}}
			}
		}
		return m
	})
	rapid.Check(t, func(t *rapid.T) {
		var h history
		var messages []Message
		for range rapid.IntRange(1, 6).Draw(t, "requests") {
			messages = append(messages[:rapid.IntRange(0, len(messages)).Draw(t, "kept")], rapid.SliceOfN(message, 0, 4).Draw(t, "more")...)
			got, err := h.encode(messages, chatEncoder{row})
			if err != nil {
				t.Fatal(err)
			}
			anew, err := (&history{}).encode(messages, chatEncoder{row})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(anew, got); d != "" {
				t.Fatal(d)
			}
		}
	})
}
