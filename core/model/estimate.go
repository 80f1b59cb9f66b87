package model

import (
	"encoding/json"

	"golem/core/tool"
)

// BytesToken is how many bytes of text an estimate counts as one token.
const BytesToken = 4

// Rough costs, in tokens, of what is no text.
const (
	tokensMessage = 4    // the protocol's own words around a message
	tokensImage   = 1000 // an image, whatever its size
	bytesToken    = BytesToken
)

// EstimateTokens guesses what messages cost, for providers that do not say and
// for max_context_tokens. It is deterministic, linear, and errs by some 30 %.
func EstimateTokens(messages []Message) int {
	total := 0
	for _, m := range messages {
		n := len(m.Text)
		for _, c := range m.Calls {
			n += len(c.Name) + len(c.Args)
		}
		for _, p := range m.Parts {
			if p.Kind == "image" {
				total += tokensImage
				continue
			}
			n += len(p.Data)
		}
		total += tokensMessage + tokens(n)
	}
	return total
}

// EstimateRequest guesses what a whole request costs: messages, tools and the
// schema of the answer.
func EstimateRequest(messages []Message, tools []tool.Spec, output json.RawMessage) int {
	total := EstimateTokens(messages) + tokens(len(output))
	for _, s := range tools {
		total += toolTokens(s)
	}
	return total
}

func tokens(bytes int) int { return (bytes + bytesToken - 1) / bytesToken }

// estimate is the usage of a turn whose provider reported none.
func estimate(r Request, text string, calls []Call) Usage {
	in := EstimateRequest(r.Messages, r.Tools, r.OutputSchema)
	out := len(text)
	for _, c := range calls {
		out += len(c.Name) + len(c.Args)
	}
	return Usage{In: in, Out: tokens(out), Estimated: true}
}

func toolTokens(s tool.Spec) int {
	return tokensMessage + tokens(len(s.Name)+len(s.Description)+len(s.Input))
}
