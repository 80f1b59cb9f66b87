package run

import (
	"fmt"

	"golem/core/fault"
	"golem/core/model"
	"golem/core/trace"
)

// trim holds the next request against max_context_tokens, tools counted: while
// it is larger, the oldest exchange goes whole, then the oldest turn of the
// running one, a call with its result (S0-59). What the person or the caller
// asked last, and the latest turn, always stay; if they alone are too large, no
// request is made.
func (f *frame) trim() error {
	limit := f.worker.MaxContextTokens
	if limit <= 0 {
		return nil
	}
	exchanges, turns := 0, 0
	size := f.requestTokens(f.messages)
	drop := func(from, to int) {
		size -= model.EstimateTokens(f.messages[from:to])
		f.messages = append(f.messages[:from:from], f.messages[to:]...)
	}
	for size > limit {
		if next := nextExchange(f.messages); next > 0 {
			drop(1, next)
			exchanges++
			continue
		}
		from, to := oldestTurn(f.messages)
		if from == to {
			return fault.New(fault.Limit, "the next request of %s is about %d tokens, and max_context_tokens is %d", f.worker.ID, size, limit).
				Hinting("raise max_context_tokens, or give it fewer tools, shorter instructions or less at once")
		}
		drop(from, to)
		turns++
	}
	if exchanges+turns > 0 {
		f.emit(trace.Warning{Code: fault.Limit, Message: fmt.Sprintf("dropped the oldest %s: max_context_tokens is %d", dropped(exchanges, turns), limit)})
	}
	return nil
}

func dropped(exchanges, turns int) string {
	switch {
	case turns == 0:
		return fmt.Sprintf("%d exchange(s)", exchanges)
	case exchanges == 0:
		return fmt.Sprintf("%d turn(s)", turns)
	}
	return fmt.Sprintf("%d exchange(s) and %d turn(s)", exchanges, turns)
}

// requestTokens estimates a request with these messages.
func (f *frame) requestTokens(messages []model.Message) int {
	return model.EstimateRequest(messages, f.offered(), f.worker.Output)
}

// nextExchange is the index where the second exchange of the history begins,
// -1 if there is only one. Repairs and injected text are user messages too,
// but follow an answer or stand right before the person's.
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

// oldestTurn is where the first answer of the only exchange, with what it
// caused, begins and ends; from == to if it is the last one or there is none.
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

// minResult is how many bytes of a result are shown at least, however little
// room max_context_tokens leaves.
const minResult = 256

// resultLimit is how many bytes of each of n results the model is shown at
// once: limits.tool_output, and together no more than half of the room that
// max_context_tokens leaves beside what always stays. 0: no limit.
func (f *frame) resultLimit(n int) int {
	limit := max(int(f.worker.Limits.ToolOutput), 0)
	if f.worker.MaxContextTokens <= 0 || n == 0 {
		return limit
	}
	stays := []model.Message{f.messages[0], f.messages[len(f.messages)-1]} // the prompt, and the calls
	for i := len(f.messages) - 1; i > 0; i-- {
		if m := f.messages[i]; m.Role == model.User && !m.Inner {
			stays = append(stays, m)
			break
		}
	}
	room := (f.worker.MaxContextTokens - f.requestTokens(stays)) * model.BytesToken / 2 / n
	if room = max(room, minResult); limit == 0 || room < limit {
		return room
	}
	return limit
}
