package model

import (
	"context"
	"net/http"
	"slices"
	"strings"
)

// unaccepted are words of the providers' refusals of what they sent themselves: the
// conversation before it has changed since, or another account or model made it.
var unaccepted = []string{"bound to a different conversation", "`signature` in `thinking`", "thought signature", "encrypted content"}

// sound makes one attempt, and another one without what this provider sent with earlier
// answers if it refuses to have that back. Then that does not go back in this
// conversation's later requests either: each block of thinking counts on those before it.
func (m *remote) sound(ctx context.Context, r Request, show func(Delta)) (Turn, error) {
	kept := func(msg Message) bool { return msg.Kept.to(m.end.row.Name) != nil }
	r.Messages = without(r.Messages, m.past.refusedUpTo(r.Conversation))
	t, err := m.attempt(ctx, r, show)
	f := failureOf(err)
	if f == nil || f.status != http.StatusBadRequest || !slices.ContainsFunc(r.Messages, kept) ||
		!slices.ContainsFunc(unaccepted, func(word string) bool { return strings.Contains(strings.ToLower(f.message), word) }) {
		return t, err
	}
	m.past.refuse(r.Conversation, len(r.Messages))
	r.Messages = without(r.Messages, len(r.Messages))
	return m.attempt(ctx, r, show)
}

// without returns the messages, the first n of them without what a provider sent with them.
func without(messages []Message, n int) []Message {
	if n == 0 {
		return messages
	}
	out := slices.Clone(messages)
	for i := range out[:min(n, len(out))] {
		out[i].Kept = nil
	}
	return out
}
