package model

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// maxName is how long a tool's name may be in the protocol.
const maxName = 64

// callName is a name as a provider takes it back in the history: what a model
// made up may hold anything.
func callName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	if clean == "" {
		return "unnamed"
	}
	return clean[:min(len(clean), maxName)]
}

// callArgs is arguments as a provider takes them back: some parse the history
// and refuse the whole request for arguments that are not an object.
func callArgs(args string) string {
	if strings.HasPrefix(strings.TrimSpace(args), "{") && json.Valid([]byte(args)) {
		return args
	}
	if strings.TrimSpace(args) == "" {
		return "{}"
	}
	wrapped, err := json.Marshal(map[string]string{"not_a_json_object": args})
	if err != nil {
		return "{}"
	}
	return string(wrapped)
}

// history is a conversation as a provider was last sent it: each message is
// encoded once, however often it goes out again with the requests that follow.
type history struct {
	tools    toolList
	messages []Message
	encoded  []json.RawMessage // of each message
	size     Estimator
	refused  int               // the provider does not take back what it sent with so many messages
	after    []json.RawMessage // what follows it: the files of the results that end with it; nil: not known yet
}

// encode brings the history up to messages and returns the encoded ones in
// order. What agrees with the request before is not encoded again.
func (h *history) encode(messages []Message, in encoder) ([]json.RawMessage, error) {
	same := 0
	for same < len(h.messages) && same < len(messages) && alike(h.messages[same], messages[same]) {
		same++
	}
	h.messages, h.encoded, h.after = h.messages[:same], h.encoded[:same], h.after[:same]
	for _, msg := range messages[same:] {
		data, err := in.message(msg)
		if err != nil {
			return nil, err
		}
		h.messages, h.encoded, h.after = append(h.messages, msg), append(h.encoded, data), append(h.after, nil)
	}
	out := make([]json.RawMessage, 0, len(messages)+1)
	for i := range h.messages {
		out = append(out, h.encoded[i])
		if h.messages[i].Role != ToolRole || i+1 < len(messages) && messages[i+1].Role == ToolRole {
			continue
		}
		if h.after[i] == nil {
			data, err := resultFiles(h.messages[:i+1], in)
			if err != nil {
				return nil, err
			}
			h.after[i] = append(json.RawMessage{}, data...) // not nil: it is known
		}
		user := len(h.after[i]) > 0 || i+1 < len(messages) && messages[i+1].Role == User
		if between := in.bridge(); between != nil && user {
			out = append(out, between)
		}
		if len(h.after[i]) > 0 {
			out = append(out, h.after[i])
		}
	}
	return out, nil
}

// alike reports whether two messages encode alike. Histories share their
// texts, which makes comparing them cheap.
func alike(a, b Message) bool {
	if a.Role != b.Role || a.Text != b.Text || a.CallID != b.CallID || a.Kept != b.Kept || !slices.Equal(a.Calls, b.Calls) {
		return false
	}
	return slices.EqualFunc(a.Parts, b.Parts, func(p, q Part) bool {
		return p.Kind == q.Kind && p.Name == q.Name && p.MIME == q.MIME && bytes.Equal(p.Data, q.Data)
	})
}

// maxHistories bounds how many conversations a model keeps encoded; what goes
// beyond is encoded anew.
const maxHistories = 64

// histories are the conversations of a model. The zero value is ready.
type histories struct {
	mu  sync.Mutex
	all map[string]*history
}

// take takes a conversation out, so that nobody else works on it.
func (h *histories) take(conversation string) *history {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.all[conversation]
	delete(h.all, conversation)
	if one == nil {
		one = &history{}
	}
	return one
}

func (h *histories) put(conversation string, one *history) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all == nil || len(h.all) >= maxHistories {
		h.all = map[string]*history{}
	}
	h.all[conversation] = one
}

// encode fills a payload with a conversation's messages and tools, put together
// by join.
func (h *histories) encode(p *payload, r Request, messages []Message, in encoder, join func([]json.RawMessage) body) error {
	one := h.take(r.Conversation)
	defer h.put(r.Conversation, one)
	encoded, err := one.encode(messages, in)
	if err != nil {
		return err
	}
	p.messages = join(encoded)
	if len(r.Tools) > 0 {
		p.tools, err = one.tools.encode(r.Tools, in.tool)
	}
	return err
}

// estimate is how many tokens a request is about.
func (h *histories) estimate(r Request) int {
	one := h.take(r.Conversation)
	defer h.put(r.Conversation, one)
	return one.size.Request(r.Messages, r.Tools, r.OutputSchema)
}

// refusedUpTo is how many messages of a conversation go without what the provider sent
// with them, and refuse sets it.
func (h *histories) refusedUpTo(conversation string) int {
	one := h.take(conversation)
	defer h.put(conversation, one)
	return one.refused
}

func (h *histories) refuse(conversation string, messages int) {
	one := h.take(conversation)
	defer h.put(conversation, one)
	one.refused = messages
}

func (h *histories) forget(conversation string) { h.take(conversation) }
