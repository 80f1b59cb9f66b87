package model

import (
	"encoding/json"
	"strings"
)

// reasoning is what a provider sends of its model's reasoning. It is shown while it arrives
// and is no part of the answer.
type reasoning struct {
	came   bool            // the provider sent some, or said that there is some
	text   strings.Builder // as far as it was sent
	tokens int             // as the provider counts them; 0: it does not say
	halves halves
}

// countNames are the names under which providers count reasoning.
var countNames = []string{
	"completion_tokens_details.reasoning_tokens", "output_tokens_details.reasoning_tokens", "output_tokens_details.thinking_tokens", "reasoning_tokens",
}

// count reads the number of tokens, if the provider says it.
func (r *reasoning) count(c counts) {
	for _, name := range countNames {
		if n := c[name]; n > 0 {
			r.tokens = n
			return
		}
	}
}

// reasoningIn returns the reasoning of a delta or, if whole is true, what a message has beyond that
// which came. OpenRouter and others send the same text under two names.
func (r *reasoning) reasoningIn(p piece, whole bool) string {
	raw := p.Reasoning
	if str(raw) == "" {
		raw = p.Thought
	}
	text := str(r.halves.join(raw))
	if text == "" {
		text = thoughts(p.Content)
	}
	if !whole {
		return text
	}
	rest, more := strings.CutPrefix(text, r.text.String())
	if !more {
		return ""
	}
	return rest
}

// thoughts returns the reasoning in a content that is a list of parts (Mistral).
func thoughts(content json.RawMessage) string {
	if len(content) == 0 || content[0] != '[' {
		return ""
	}
	var all []struct{ Type, Thinking json.RawMessage }
	if json.Unmarshal(content, &all) != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range all {
		if str(p.Type) != "thinking" {
			continue
		}
		if text := str(p.Thinking); text != "" {
			b.WriteString(text)
		} else {
			b.WriteString(parts(p.Thinking))
		}
	}
	return b.String()
}

// showReasoning shows a piece of the reasoning.
func (a *answer) showReasoning(text string) {
	if text == "" {
		return
	}
	a.reasoning.came = true
	a.reasoning.text.WriteString(text)
	if a.show != nil {
		a.show(Delta{Reasoning: text})
	}
}
