package model

import (
	"encoding/json"

	"golem/core/tool"
)

// BytesToken is how many bytes of text count as one token in an estimate.
const BytesToken = 4

// Rough sizes, in tokens, of parts that are not text.
const (
	tokensMessage = 4    // the protocol's own words around a message
	tokensImage   = 1000 // an image, whatever its size; a PDF at least
	bytesPDF      = 20   // bytes of a PDF that count as one token: a page has about 2,000 tokens and 40 KB
	bytesToken    = BytesToken
)

// EstimateTokens estimates the tokens of messages, for providers that do not
// report them and for max_context_tokens. It always returns the same number for
// the same messages, takes time proportional to their size, and is wrong by
// about 30 %.
func EstimateTokens(messages []Message) int {
	total := 0
	for _, m := range messages {
		total += m.estimate()
	}
	return total
}

func (m Message) estimate() int {
	total, n := tokensMessage, len(m.Text)
	for _, c := range m.Calls {
		n += len(c.Name) + len(c.Args)
	}
	for _, p := range m.Parts {
		switch p.Kind {
		case "image":
			total += tokensImage
		case "pdf":
			total += max(tokensImage, len(p.Data)/bytesPDF)
		case "file": // no model gets its content, only its name
			n += len(p.Name)
		default:
			n += len(p.Data)
		}
	}
	return total + tokens(n)
}

// Estimator estimates the requests of one conversation turn by turn, and does
// not count messages of earlier turns again. The zero value is ready for use.
// Use it from one goroutine.
type Estimator struct {
	first *Message // the first of the messages that were counted
	last  Message  // the last of them
	n     int
	sum   int

	tool  *tool.Spec // the first of the tools that were counted
	tools int
	cost  int

	counted int // messages, for tests
}

// Request returns what EstimateRequest returns, for the next request of the
// conversation. If earlier messages have changed, it counts all of them again.
func (e *Estimator) Request(messages []Message, tools []tool.Spec, output json.RawMessage) int {
	if len(messages) < max(e.n, 1) || e.first != &messages[0] || !alike(messages[e.n-1], e.last) {
		e.n, e.sum = 0, 0
	}
	for _, m := range messages[e.n:] {
		e.sum += m.estimate()
		e.counted++
	}
	if e.n = len(messages); e.n > 0 {
		e.first, e.last = &messages[0], messages[e.n-1]
	}
	if len(tools) != e.tools || len(tools) > 0 && e.tool != &tools[0] {
		e.tools, e.tool, e.cost = len(tools), nil, EstimateRequest(nil, tools, nil)
		if len(tools) > 0 {
			e.tool = &tools[0]
		}
	}
	return e.sum + e.cost + tokens(len(output))
}

// EstimateRequest estimates the tokens of a whole request: messages, tools and
// the schema of the answer.
func EstimateRequest(messages []Message, tools []tool.Spec, output json.RawMessage) int {
	total := EstimateTokens(messages) + tokens(len(output))
	for _, s := range tools {
		total += toolTokens(s)
	}
	return total
}

func tokens(bytes int) int { return (bytes + bytesToken - 1) / bytesToken }

// estimate returns the usage of a turn whose provider reported none.
func estimate(r Request, text string, calls []Call) Usage {
	return guessed(EstimateRequest(r.Messages, r.Tools, r.OutputSchema), text, calls)
}

func guessed(in int, text string, calls []Call) Usage {
	out := len(text)
	for _, c := range calls {
		out += len(c.Name) + len(c.Args)
	}
	return Usage{In: in, Out: tokens(out), Estimated: true}
}

func toolTokens(s tool.Spec) int {
	return tokensMessage + tokens(len(s.Name)+len(s.Description)+len(s.Input))
}
