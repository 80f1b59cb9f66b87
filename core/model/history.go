package model

import (
	"encoding/json"
	"strings"
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
// and refuse the whole request for arguments that are no object.
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

// kept is the content of Call.Extra.
type kept struct {
	Content   json.RawMessage `json:"extra_content,omitempty"`     // of the call
	Reasoning string          `json:"reasoning_content,omitempty"` // of the message, on its first call
}

// maxExtra bounds Call.Extra in bytes, so that a history does not grow by it.
const maxExtra = 256 << 10

func joinExtra(k kept) string {
	if len(k.Content) == 0 && k.Reasoning == "" {
		return ""
	}
	data, err := json.Marshal(k)
	if err != nil || len(data) > maxExtra {
		return ""
	}
	return string(data)
}

// splitExtra takes Call.Extra apart: the call's JSON and the message's reasoning.
func splitExtra(extra string) (content, reasoning string) {
	var k kept
	if extra == "" || json.Unmarshal([]byte(extra), &k) != nil {
		return "", ""
	}
	return string(k.Content), k.Reasoning
}

// apply makes a payload's patches on its encoded request body.
func apply(body []byte, patches []patch) ([]byte, error) {
	if len(patches) == 0 {
		return body, nil
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(body, &top); err != nil {
		return nil, err
	}
	var messages []map[string]json.RawMessage
	if err := json.Unmarshal(top["messages"], &messages); err != nil {
		return nil, err
	}
	for _, p := range patches {
		if err := p.apply(messages[p.at]); err != nil {
			return nil, err
		}
	}
	var err error
	if top["messages"], err = json.Marshal(messages); err != nil {
		return nil, err
	}
	return json.Marshal(top)
}

func (p patch) apply(message map[string]json.RawMessage) (err error) {
	if p.parts != nil {
		if message["content"], err = json.Marshal(p.parts); err != nil {
			return err
		}
	}
	if p.extra == nil {
		return nil
	}
	var calls []map[string]json.RawMessage
	if err = json.Unmarshal(message["tool_calls"], &calls); err != nil {
		return err
	}
	for i, e := range p.extra {
		if e != "" && i < len(calls) {
			calls[i]["extra_content"] = json.RawMessage(e)
		}
	}
	message["tool_calls"], err = json.Marshal(calls)
	return err
}
