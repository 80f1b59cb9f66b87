package conversation

import (
	"slices"

	"golem/core/model"
)

// Fit says what to drop so that a request of size tokens is no larger than limit: the
// oldest exchanges as a whole, then the oldest turns of the last exchange, a call
// together with its result (S0-59). The system prompt, what the person or the caller
// asked last, and the latest turn stay. rest is the size that is left, which may be
// larger than limit still.
func (c *Conversation) Fit(limit, size int) (d Dropped, rest int) {
	at := 1 // where what stays begins
	for size > limit {
		n := nextExchange(c.Messages[at-1:])
		if n < 0 {
			break
		}
		size -= model.EstimateTokens(c.Messages[at : at-1+n])
		at += n - 1
		d.Exchanges++
	}
	ms := c.Messages[at-1:] // of which the first stands for the system prompt
	for size > limit {
		from, to := oldestTurn(ms)
		if from == to {
			break
		}
		size -= model.EstimateTokens(ms[from:to])
		ms = append(ms[:from:from], ms[to:]...)
		d.Turns++
	}
	return d, size
}

// Drop drops what Fit said, and returns it. summary, if there is one, takes its place
// behind the system prompt.
func (c *Conversation) Drop(d Dropped, summary string) (dropped []model.Message) {
	at := 1
	for range d.Exchanges {
		if n := nextExchange(c.Messages[at-1:]); n > 0 {
			at += n - 1
		}
	}
	drop := func(from, to int) {
		dropped = append(dropped, c.Messages[from:to]...)
		c.Messages = append(c.Messages[:from:from], c.Messages[to:]...)
	}
	if at > 1 {
		drop(1, at)
	}
	for range d.Turns {
		if from, to := oldestTurn(c.Messages); from < to {
			drop(from, to)
		}
	}
	if summary != "" && len(c.Messages) > 0 {
		c.Messages = slices.Insert(slices.Clone(c.Messages), 1, model.Message{Role: model.User, Text: summary, Inner: true})
	}
	return dropped
}

// Old is everything but the last exchange; of a single exchange, all turns but the
// last.
func (c *Conversation) Old() Dropped {
	old, _ := c.Fit(0, 1<<50)
	if old.Exchanges > 0 {
		old.Turns = 0
	}
	return old
}

// Lasting returns the messages that Trim never drops: the system prompt, what was
// asked last, and the latest message.
func (c *Conversation) Lasting() []model.Message {
	out := []model.Message{c.Messages[0], c.Messages[len(c.Messages)-1]}
	for i := len(c.Messages) - 1; i > 0; i-- {
		if m := c.Messages[i]; m.Role == model.User && !m.Inner {
			return append(out, m)
		}
	}
	return out
}

// nextExchange is the index where the second exchange of the history begins, -1
// if there is only one. Repairs and injected text are user messages too, but
// follow an answer or stand right before the person's.
func nextExchange(ms []model.Message) int {
	seen := false
	for i := 1; i < len(ms); i++ {
		if ms[i].Role == model.User && !ms[i].Inner {
			if seen {
				return i
			}
			seen = true
		}
	}
	return -1
}

// oldestTurn is where the first answer of the only exchange, with what it caused,
// begins and ends; from == to if it is the last one or there is none.
func oldestTurn(ms []model.Message) (from, to int) {
	for i := 1; i < len(ms); i++ {
		if ms[i].Role != model.Assistant {
			continue
		}
		if from > 0 {
			return from, i
		}
		from = i
	}
	return 0, 0
}
