package model

import (
	"encoding/json"
	"fmt"
	"strings"

	"golem/core/fault"
)

// finish translates a provider's finish reason into the words of Turn.Finish, or into
// "content_filter", "error" if the provider gave up, or "unreadable" if it could not
// read a tool call.
func finish(reason string) string {
	word, _, _ := strings.Cut(strings.ToLower(reason), ":")
	switch strings.TrimSpace(word) {
	case "tool_calls", "function_call", "tool_use":
		return "tool_calls"
	case "length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded":
		return "length"
	case "content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii", "sensitive", "refusal":
		return "content_filter"
	case "error", "abort", "network_error", "insufficient_system_resource":
		return "error"
	case "function_call_filter", "malformed_function_call":
		return "unreadable"
	}
	return "stop"
}

// complete returns an error if the answer is incomplete, empty or a refusal: then
// nothing of it runs. done says that the provider marked the end of the stream; some
// providers then send no finish reason.
func (a *answer) complete(model string, done bool) error {
	done = done && !a.mustEnd
	visible, thought := a.text.tags.end()
	a.showReasoning(thought)
	a.showText(visible)
	switch {
	case a.finish == "" && !done && !a.choices:
		return broken(a.provider+" sent an empty answer", nil)
	case a.finish == "" && !done && a.reason != "":
		return broken("the stream of "+a.provider+" ended before message_stop", nil)
	case a.finish == "" && !done:
		return broken("the answer of "+a.provider+" ended in the middle, without a finish reason", nil)
	case a.refusal.Len() > 0:
		return (&failure{message: fmt.Sprintf("%s refused to answer: %s", model, a.clean(a.refusal.String()))}).
			fault(fault.Model, otherwise)
	case a.finish == "content_filter":
		return (&failure{message: fmt.Sprintf("the content filter of %s stopped the answer%s", a.provider, a.reasonInBrackets("content_filter"))}).
			fault(fault.Model, otherwise)
	case a.finish == "unreadable":
		return (&failure{message: a.provider + " could not read a tool call" + a.reasonInBrackets(""), unread: &unread{says: a.clean(a.reason)}}).fault(fault.Model, remedy{})
	}
	for _, c := range a.calls {
		if c.name == "" {
			return broken(a.provider+" sent a tool call without a name", nil)
		}
	}
	if len(a.calls) == 0 && a.finish == "tool_calls" {
		return broken(a.provider+" announced a tool call and sent none", nil)
	}
	if len(a.calls) > 0 || a.paused || strings.TrimSpace(a.text.visible.String()) != "" {
		return nil
	}
	if a.finish == "length" {
		return (&failure{message: fmt.Sprintf("%s reached its output limit before it answered%s", model, a.onlyReasoned())}).
			fault(fault.Model, anotherModel("request a shorter answer, or choose"))
	}
	return (&failure{retry: true, empty: true, message: fmt.Sprintf("%s sent an empty answer%s", a.provider, a.onlyReasoned())}).fault(fault.Model, remedy{})
}

// reasonInBrackets returns the provider's reason in brackets, "" if it says no more than known.
func (a *answer) reasonInBrackets(known string) string {
	if a.reason == "" || a.reason == known {
		return ""
	}
	return " (" + a.clean(a.reason) + ")"
}

// onlyReasoned returns words that say that there was only reasoning, "" if there was none.
func (a *answer) onlyReasoned() string {
	if a.reasoning.came {
		return ": it sent only its reasoning"
	}
	return ""
}

// completeTurn returns the complete answer, with golem's own ids for its calls.
func (a *answer) completeTurn(model string, r Request) Turn {
	t := Turn{Text: a.text.visible.String(), Finish: a.finish, Model: model, Attempts: 1, ServerCalls: a.ran, Paused: a.paused && len(a.calls) == 0}
	if t.Finish == "" {
		t.Finish = "stop"
	}
	kept := Kept{Provider: a.provider, Message: a.kept.fields()}
	some, calls := kept.Message != nil, false
	for i, c := range a.calls {
		args := c.args.String()
		if i == len(a.calls)-1 && t.Finish == "length" && !json.Valid([]byte(args)) {
			c.invalid = "the call is incomplete: it reached the model's output limit"
		}
		if strings.TrimSpace(args) == "" {
			args = "{}"
		}
		t.Calls = append(t.Calls, Call{Name: c.name, Args: args, Invalid: c.invalid})
		own := c.kept.fields()
		kept.Calls = append(kept.Calls, own)
		calls = calls || own != nil
	}
	if !calls {
		kept.Calls = nil
	}
	if a.items.stateful {
		kept.Items = a.items.all
	}
	if some || calls || a.items.stateful {
		t.Kept = &kept
	}
	ownIDs(r.Messages, t.Calls)
	if len(t.Calls) > 0 && t.Finish == "stop" {
		t.Finish = "tool_calls"
	}
	if a.usage != nil {
		t.Usage = *a.usage
	} else {
		t.Usage = guessed(a.size(r), a.text.all.String(), t.Calls)
	}
	t.Reasoning = min(a.reasoning.tokens, t.Usage.Out)
	return t
}
