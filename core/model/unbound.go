package model

import (
	"context"
	"net/http"
	"slices"
	"strings"
)

// unaccepted lists words with which providers refuse to have back what they sent
// (reasoning, signatures): the conversation before it has changed since, or another
// account or model made it.
var unaccepted = []string{"bound to a different conversation", "`signature` in `thinking`", "thought signature", "encrypted content"}

// generateWithKept makes one attempt. If the provider refuses what it sent itself with earlier
// answers, it makes another attempt without that. Later requests of this
// conversation do not send it either: each block of thinking depends on those before
// it.
func (m *remote) generateWithKept(ctx context.Context, r Request, show func(Delta)) (Turn, error) {
	kept := func(msg Message) bool { return msg.Kept.keptFor(m.end.row.Name) != nil }
	r.Messages = withoutKept(r.Messages, m.past.refusedUpTo(r.Conversation))
	t, err := m.attempt(ctx, r, show)
	f := failureOf(err)
	if f == nil || f.status != http.StatusBadRequest || !slices.ContainsFunc(r.Messages, kept) ||
		!slices.ContainsFunc(unaccepted, func(word string) bool { return strings.Contains(strings.ToLower(f.message), word) }) {
		return t, err
	}
	m.past.refuse(r.Conversation, len(r.Messages))
	r.Messages = withoutKept(r.Messages, len(r.Messages))
	return m.attempt(ctx, r, show)
}

// withoutKept returns the messages; the first n of them have no Kept.
func withoutKept(messages []Message, n int) []Message {
	if n == 0 {
		return messages
	}
	out := slices.Clone(messages)
	for i := range out[:min(n, len(out))] {
		out[i].Kept = nil
	}
	return out
}
