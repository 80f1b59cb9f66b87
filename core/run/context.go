package run

import (
	"fmt"

	"golem/core/fault"
	"golem/core/model"
	"golem/core/trace"
)

// trim drops what is oldest while the next request, tools counted, is larger than
// max_context_tokens (S0-59). If what must stay is too large alone, no request is
// made.
func (f *frame) trim() error {
	limit := f.worker.MaxContextTokens
	if limit <= 0 {
		return nil
	}
	exchanges, turns, size := f.conversation.Trim(limit, f.size.Request(f.conversation.Messages, f.offered(), f.worker.Output))
	if size > limit {
		return fault.New(fault.Limit, "the next request of %s is about %d tokens, and max_context_tokens is %d", f.worker.ID, size, limit).
			Hinting("raise max_context_tokens, or give it fewer tools, shorter instructions or less input")
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
	room := (f.worker.MaxContextTokens - f.requestTokens(f.conversation.Lasting())) * model.BytesToken / 2 / n
	if room = max(room, minResult); limit == 0 || room < limit {
		return room
	}
	return limit
}
