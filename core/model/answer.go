package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"golem/core/fault"
)

// maxCalls bounds the tool calls of one answer (SECURITY 12).
const maxCalls = 256

// chunk is one event of a stream, as far as golem reads it. Providers differ
// in the types of what is RawMessage here.
type chunk struct {
	Choices []struct {
		Index        int
		Delta        piece
		Message      *piece  // of a whole answer sent as one event
		FinishReason *string `json:"finish_reason"`
	}
	Usage *counts
	XGroq *struct{ Usage *counts } `json:"x_groq"`
	Error json.RawMessage
}

type piece struct {
	Content   json.RawMessage
	Refusal   *string
	Reasoning *string    `json:"reasoning_content"`
	ToolCalls []fragment `json:"tool_calls"`
}

type counts struct {
	Prompt     float64 `json:"prompt_tokens"`
	Completion float64 `json:"completion_tokens"`
}

// fragment is a piece of a tool call.
type fragment struct {
	Index    *int
	ID       *string
	Function struct {
		Name      *string
		Arguments json.RawMessage
	}
	Extra json.RawMessage `json:"extra_content"`
}

// pending is a tool call that is still arriving.
type pending struct {
	index int // the provider's, -1 if it gives none
	id    string
	name  string
	args  strings.Builder
	extra json.RawMessage
}

// answer puts a stream together.
type answer struct {
	text      strings.Builder
	reasoning strings.Builder
	calls     []*pending
	finish    string
	usage     *Usage
	choices   bool // the provider sent at least one
	clean     func(string) string
}

// add takes one event in and shows its text.
func (a *answer) add(raw []byte, show func(Delta)) error {
	var c chunk
	if err := json.Unmarshal(raw, &c); err != nil {
		return malformed(a.clean, raw)
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return a.broken(raw)
	}
	if c.Usage == nil && c.XGroq != nil {
		c.Usage = c.XGroq.Usage
	}
	a.count(c.Usage)
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue
		}
		a.choices = true
		p := choice.Delta
		if choice.Message != nil {
			p = *choice.Message
		}
		if err := a.piece(p, show); err != nil {
			return err
		}
		if choice.FinishReason != nil && *choice.FinishReason != "" {
			if *choice.FinishReason == "error" {
				return broken("the provider broke off with an error", nil)
			}
			a.finish = finish(*choice.FinishReason)
		}
	}
	return nil
}

// broken is an error that arrives inside a stream: worth another attempt,
// unless it names a status that is not.
func (a *answer) broken(raw []byte) error {
	says, status := providerSays(raw)
	return (&failure{
		status: status, retry: status == 0 || retriable(status),
		message: "the provider broke off with an error: " + a.clean(says),
	}).fault(fault.Model, "")
}

func (a *answer) count(u *counts) {
	if u == nil || !(u.Prompt >= 0 && u.Completion >= 0 && u.Prompt+u.Completion > 0) {
		return
	}
	const most = 1 << 40
	a.usage = &Usage{In: int(min(u.Prompt, most)), Out: int(min(u.Completion, most))}
}

func (a *answer) piece(p piece, show func(Delta)) error {
	text := content(p.Content)
	if p.Refusal != nil {
		text += *p.Refusal
	}
	if text != "" {
		a.text.WriteString(text)
		if show != nil {
			show(Delta{Text: text})
		}
	}
	if p.Reasoning != nil && a.reasoning.Len() < maxExtra {
		a.reasoning.WriteString(*p.Reasoning)
	}
	for _, f := range p.ToolCalls {
		if err := a.fragment(f); err != nil {
			return err
		}
	}
	return nil
}

// content is a delta's text: a string, or a list of parts of which the text ones count.
func content(raw json.RawMessage) string {
	if len(raw) == 0 || raw[0] != '[' {
		return str(raw)
	}
	var parts []struct{ Type, Text string }
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range parts {
		if p.Type == "text" {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// fragment adds to the call it belongs to, or begins one.
func (a *answer) fragment(f fragment) error {
	id, name := deref(f.ID), deref(f.Function.Name)
	c := a.find(f.Index, id, name)
	if c == nil {
		if len(a.calls) == maxCalls {
			return (&failure{message: fmt.Sprintf("the answer has more than %d tool calls", maxCalls)}).fault(fault.Model, "")
		}
		c = &pending{index: -1, id: id}
		if f.Index != nil {
			c.index = *f.Index
		}
		a.calls = append(a.calls, c)
	}
	if c.id == "" {
		c.id = id
	}
	if name != c.name { // some providers repeat it in each fragment
		c.name += name
	}
	c.args.WriteString(argsText(f.Function.Arguments))
	if len(f.Extra) > 0 && string(f.Extra) != "null" {
		c.extra = bytes.Clone(f.Extra)
	}
	return nil
}

// find decides which call a fragment continues; nil begins a new one. The
// index decides, but some providers give none, or 0 to every call: then a
// fragment with a name and another id, or a name after complete arguments,
// begins a call.
func (a *answer) find(index *int, id, name string) *pending {
	var c *pending
	for i := len(a.calls) - 1; i >= 0 && c == nil; i-- {
		p := a.calls[i]
		switch {
		case index != nil && p.index == *index, index == nil && id != "" && p.id == id:
			c = p
		case index == nil && id == "" && i == len(a.calls)-1:
			c = p
		}
	}
	if c == nil || name == "" || c.name == "" {
		return c
	}
	if id != "" && c.id != "" {
		if id != c.id {
			return nil
		}
		return c
	}
	if id == "" && closed(c.args.String()) {
		return nil
	}
	return c
}

// closed reports whether arguments are complete. Long ones are not looked
// through, which a hostile stream could demand for each of its fragments.
func closed(args string) bool {
	return len(args) <= 64<<10 && strings.HasSuffix(args, "}") && json.Valid([]byte(args))
}

// argsText is a fragment of arguments: a string, or, from a few providers, the object itself.
func argsText(raw json.RawMessage) string {
	if len(raw) > 0 && (raw[0] == '{' || raw[0] == '[') {
		return string(raw)
	}
	return str(raw)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// finish is a provider's reason in the words of Turn.Finish.
func finish(reason string) string {
	switch reason {
	case "tool_calls", "function_call", "tool_use":
		return "tool_calls"
	case "length", "max_tokens":
		return "length"
	case "content_filter", "safety", "SAFETY":
		return "content_filter"
	}
	return "stop"
}

// complete refuses a stream that ended without saying so: nothing of it runs.
func (a *answer) complete(provider string) error {
	switch {
	case a.finish == "" && !a.choices:
		return broken(provider+" sent an empty answer", nil)
	case a.finish == "":
		return broken("the answer of "+provider+" ended in the middle, without a finish reason", nil)
	}
	for _, c := range a.calls {
		if c.name == "" {
			return broken(provider+" sent a tool call without a name", nil)
		}
	}
	return nil
}

// turn is the complete answer, its calls under golem's own ids.
func (a *answer) turn(model string, r Request) (Turn, error) {
	t := Turn{Text: a.text.String(), Finish: a.finish, Model: model, Attempts: 1}
	for i, c := range a.calls {
		k := kept{Content: c.extra}
		if i == 0 {
			k.Reasoning = a.reasoning.String()
		}
		args := c.args.String()
		if strings.TrimSpace(args) == "" {
			args = "{}"
		}
		t.Calls = append(t.Calls, Call{Name: c.name, Args: args, Extra: joinExtra(k)})
	}
	ownIDs(r.Messages, t.Calls)
	if len(t.Calls) > 0 && t.Finish == "stop" {
		t.Finish = "tool_calls"
	}
	if a.usage != nil {
		t.Usage = *a.usage
	} else {
		t.Usage = estimate(r, t.Text, t.Calls)
	}
	return t, nil
}
