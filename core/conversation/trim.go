package conversation

import (
	"math"
	"slices"

	"golem/core/model"
)

// Fit returns what to drop so that a request of size tokens has at most limit tokens:
// the oldest exchanges as a whole, then the oldest turns of the last exchange, a call
// together with its result (S0-59). The system prompt, what the person or the caller
// asked last, and the latest turn stay. An earlier summary goes with the exchanges, and
// with turns only if the rest would still be too large. rest is the size after that, which
// may still be larger than limit.
func (c *Conversation) Fit(limit, size int) (d Dropped, rest int) {
	at := 1 // index of the first message that stays
	for size > limit {
		n := nextExchange(c.Messages[at-1:])
		if n < 0 {
			break
		}
		size -= model.EstimateTokens(c.Messages[at : at-1+n])
		at += n - 1
		d.Exchanges++
	}
	ms := c.Messages[at-1:] // the first message stands for the system prompt
	for size > limit {
		from, to := oldestTurn(ms)
		if from == to {
			break
		}
		size -= model.EstimateTokens(ms[from:to])
		ms = append(ms[:from:from], ms[to:]...)
		d.Turns++
	}
	if size > limit {
		return c.Replacing(d, size)
	}
	return d, size
}

// Replacing returns d for a request in which a new summary takes the place of what is
// dropped: the earlier summaries go with it, so that there is only one. rest is the size
// after d, and then after what Replacing returns.
func (c *Conversation) Replacing(d Dropped, rest int) (Dropped, int) {
	if n := c.summaries(); n > 0 && d.Turns > 0 && d.Exchanges == 0 && !d.Summary {
		d.Summary = true
		rest -= model.EstimateTokens(c.Messages[1 : 1+n])
	}
	return d, rest
}

// summaries returns how many summaries there are after the system prompt. Conversations
// that were kept by an older golem can have several.
func (c *Conversation) summaries() int {
	n := 0
	for 1+n < len(c.Messages) && c.Messages[1+n].Summary {
		n++
	}
	return n
}

// Drop removes from the conversation what Fit returned, and returns the removed
// messages. summary, if it is not "", takes their place after the system prompt.
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
	} else if d.Summary {
		drop(1, 1+c.summaries())
	}
	for range d.Turns {
		if from, to := oldestTurn(c.Messages); from < to {
			drop(from, to)
		}
	}
	if summary != "" && len(c.Messages) > 0 {
		c.Messages = slices.Insert(slices.Clone(c.Messages), 1, model.Message{Role: model.User, Text: summary, Inner: true, Summary: true})
	}
	return dropped
}

// Shorten does what Drop does, and remembers in Unsummed what was dropped without a summary.
func (c *Conversation) Shorten(d Dropped, summary string) {
	gone := c.Drop(d, summary)
	if summary != "" {
		c.Unsummed = nil
		return
	}
	c.Unsummed = append(c.Unsummed, gone...)
}

// Old returns all exchanges but the last one; if there is only one exchange, all turns
// but the last.
func (c *Conversation) Old() Dropped {
	old, _ := c.Fit(0, math.MaxInt)
	if old.Exchanges > 0 {
		old.Turns = 0
	}
	return old
}

// Lasting returns messages that Drop never removes: the system prompt, what was asked
// last, and the latest message.
func (c *Conversation) Lasting() []model.Message {
	out := []model.Message{c.Messages[0], c.Messages[len(c.Messages)-1]}
	for i := len(c.Messages) - 1; i > 0; i-- {
		if m := c.Messages[i]; m.Role == model.User && !m.Inner {
			return append(out, m)
		}
	}
	return out
}

// nextExchange returns the index where the second exchange of the history begins, -1 if
// there is only one. Requests for repairs and injected texts are user messages too, but
// Inner. They do not begin an exchange, except directly before the person's message: there
// they are notes that golem made for it.
func nextExchange(ms []model.Message) int {
	seen := false
	for i := 1; i < len(ms); i++ {
		if ms[i].Role == model.User && !ms[i].Inner {
			if !seen {
				seen = true
				continue
			}
			for ms[i-1].Inner {
				i--
			}
			return i
		}
	}
	return -1
}

// oldestTurn returns where the first answer of the only exchange, with what it caused,
// begins and ends; from == to if it is the last answer or there is none.
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
