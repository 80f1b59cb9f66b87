package conversation

import "golem/core/model"

// Trim drops messages while a request of size tokens is larger than limit: the
// oldest exchange as a whole, then the oldest turn of the last exchange, a call
// together with its result (S0-59). The system prompt, what the person or the
// caller asked last, and the latest turn stay. rest is the size that is left, which
// may be larger than limit still.
func (c *Conversation) Trim(limit, size int) (exchanges, turns, rest int) {
	drop := func(from, to int) {
		size -= model.EstimateTokens(c.Messages[from:to])
		c.Messages = append(c.Messages[:from:from], c.Messages[to:]...)
	}
	for size > limit {
		if next := nextExchange(c.Messages); next > 0 {
			drop(1, next)
			exchanges++
			continue
		}
		from, to := oldestTurn(c.Messages)
		if from == to {
			break
		}
		drop(from, to)
		turns++
	}
	return exchanges, turns, size
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
