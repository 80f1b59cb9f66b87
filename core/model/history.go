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

// callName returns a tool's name in a form that providers accept in the history: a name
// that a model made up can contain anything.
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

// callArgs returns arguments in a form that providers accept in the history: some
// refuse the whole request because of arguments that are not an object.
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

// history is the last request of a conversation in encoded form. Each message is
// encoded once, although it goes out again with each later request.
type history struct {
	tools    toolList
	messages []Message
	encoded  []json.RawMessage // of each message
	size     Estimator
	refused  int               // the first so many messages go without their Kept, which the provider has refused
	after    []json.RawMessage // of each message: the files of the tool results that end with it; nil: not encoded yet
	joined   []json.RawMessage // of each message: itself with the neighbours of its role before it; nil: it has none
}

// encode changes the history to messages and returns them encoded, in order, with
// neighbours of one role joined: some endpoints refuse a history whose roles do not
// alternate. It does not encode again what is the same as in the request before.
func (h *history) encode(messages []Message, in encoder) ([]json.RawMessage, error) {
	same := 0
	for same < len(h.messages) && same < len(messages) && alike(h.messages[same], messages[same]) {
		same++
	}
	h.messages, h.encoded, h.after, h.joined = h.messages[:same], h.encoded[:same], h.after[:same], h.joined[:same]
	for _, msg := range messages[same:] {
		data, err := in.message(msg)
		if err != nil {
			return nil, err
		}
		h.messages, h.encoded, h.after, h.joined = append(h.messages, msg), append(h.encoded, data), append(h.after, nil), append(h.joined, nil)
	}
	out := make([]json.RawMessage, 0, len(messages)+1)
	last := Role("") // of the last of out
	for i, msg := range h.messages {
		if msg.Role == last && h.joined[i] == nil {
			var err error
			if h.joined[i], err = in.together(last, out[len(out)-1], h.encoded[i]); err != nil {
				return nil, err
			}
		}
		if msg.Role == last && h.joined[i] != nil {
			out[len(out)-1] = h.joined[i]
			continue
		}
		out, last = append(out, h.encoded[i]), msg.Role
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
			out, last = append(out, between), Assistant
		}
		if len(h.after[i]) > 0 {
			out, last = append(out, h.after[i]), User
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

// maxHistories bounds how many conversations a model keeps encoded. When one more
// comes, all of them are forgotten and encoded again when they go on.
const maxHistories = 64

// histories are the conversations of a model. The zero value is ready.
type histories struct {
	mu  sync.Mutex
	all map[string]*history
}

// checkOut removes a conversation and returns it, so that nobody else works on it until
// put. If there is none, it returns a new one.
func (h *histories) checkOut(conversation string) *history {
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

// encode fills a payload with a conversation's messages, which join puts together, and
// its tools.
func (h *histories) encode(p *payload, r Request, messages []Message, in encoder, join func([]json.RawMessage) body) error {
	one := h.checkOut(r.Conversation)
	defer h.put(r.Conversation, one)
	encoded, err := one.encode(messages, in)
	if err != nil {
		return err
	}
	p.messages = join(encoded)
	if len(r.Tools) > 0 {
		p.tools, err = one.tools.encode(r.Tools, in.tool)
		for _, t := range r.Tools {
			p.names = append(p.names, t.Name)
		}
	}
	return err
}

// estimate returns about how many tokens a request has.
func (h *histories) estimate(r Request) int {
	one := h.checkOut(r.Conversation)
	defer h.put(r.Conversation, one)
	return one.size.Request(r.Messages, r.Tools, r.OutputSchema)
}

// refusedUpTo returns how many messages of a conversation, from the first, go without
// their Kept. refuse sets that number.
func (h *histories) refusedUpTo(conversation string) int {
	one := h.checkOut(conversation)
	defer h.put(conversation, one)
	return one.refused
}

func (h *histories) refuse(conversation string, messages int) {
	one := h.checkOut(conversation)
	defer h.put(conversation, one)
	one.refused = messages
}

func (h *histories) forget(conversation string) { h.checkOut(conversation) }
