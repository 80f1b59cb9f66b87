package model

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"golem/core/tool"
)

// Kept is what a provider sent with an answer and needs back unchanged in later
// requests: reasoning, thought signatures. It is returned only to the same
// provider, and no other part of golem reads it.
type Kept struct {
	Provider string   `json:"provider"`
	Message  fields   `json:"message,omitempty"` // members of the assistant's message
	Calls    []fields `json:"calls,omitempty"`   // members of each call, by its index; nil: none
	// Items are the whole answer as a list (Responses' items, Anthropic's
	// blocks); calls in it are replaced by callItem.
	Items []json.RawMessage `json:"items,omitempty"`
}

// callItem stands for the next call of the message, which goes back under
// golem's own id.
const callItem = `{"type":"golem_call"}`

// fields are members of a JSON object by name.
type fields map[string]json.RawMessage

// keptFor returns k if it goes back to the provider, else nil.
func (k *Kept) keptFor(provider string) *Kept {
	if k == nil || k.Provider != provider {
		return nil
	}
	return k
}

// redacted returns k without secrets; nil if it is no longer valid JSON without them.
func (k *Kept) redacted(redact tool.Redactor) *Kept {
	if k == nil {
		return nil
	}
	data, err := json.Marshal(k)
	if err != nil {
		return nil
	}
	clean := redact.Redact(string(data))
	if clean == string(data) {
		return k
	}
	var out Kept
	if json.Unmarshal([]byte(clean), &out) != nil {
		return nil
	}
	return &out
}

// put adds the members that carry names to an encoded message and its calls.
func (k *Kept) put(message json.RawMessage, carry []string) (json.RawMessage, error) {
	var out fields
	if err := json.Unmarshal(message, &out); err != nil {
		return nil, err
	}
	out.put(k.Message, carry)
	if calls := out["tool_calls"]; len(calls) > 0 && len(k.Calls) > 0 {
		var all []fields
		if err := json.Unmarshal(calls, &all); err != nil {
			return nil, err
		}
		for i := range all {
			if i < len(k.Calls) {
				all[i].put(k.Calls[i], carry)
			}
		}
		data, err := json.Marshal(all)
		if err != nil {
			return nil, err
		}
		out["tool_calls"] = data
	}
	return json.Marshal(out)
}

// filled returns an encoded message with the members of Quirks.Fill that it does not
// have. A member whose text is empty counts as missing.
func filled(message json.RawMessage, fill map[string]string) (json.RawMessage, error) {
	var out fields
	if err := json.Unmarshal(message, &out); err != nil {
		return nil, err
	}
	var calls []fields
	if err := json.Unmarshal(out["tool_calls"], &calls); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(fill)) {
		in, member := out, name
		if rest, ofCall := strings.CutPrefix(name, "tool_calls."); ofCall && len(calls) > 0 {
			in, member = calls[0], rest
		}
		outer, _, nested := strings.Cut(member, ".")
		if had := in[outer]; len(had) > 0 && (nested || string(had) != `""`) {
			continue
		}
		if err := in.set(member, quote(fill[name])); err != nil {
			return nil, err
		}
	}
	data, err := json.Marshal(calls)
	if err != nil {
		return nil, err
	}
	out["tool_calls"] = data
	return json.Marshal(out)
}

// put sets the members that a provider wants back and that golem does not set.
func (f fields) put(kept fields, carry []string) {
	for name, value := range kept {
		if _, own := f[name]; !own && slices.Contains(carry, name) {
			f[name] = value
		}
	}
}

// carrier collects the members that a provider wants back from the pieces of a stream.
// It puts texts together and joins lists; of any other value it keeps the last.
type carrier struct {
	names  []string // which members; none: nothing is collected
	texts  map[string]*strings.Builder
	lists  map[string]*entries
	others fields
}

// add collects the named members of one piece. It skips null, but not an empty text.
func (c *carrier) add(piece json.RawMessage) {
	if len(c.names) == 0 {
		return
	}
	var got fields
	if json.Unmarshal(piece, &got) != nil {
		return
	}
	for _, name := range c.names {
		switch value := got[name]; {
		case len(value) == 0 || string(value) == "null":
		case value[0] == '"':
			c.text(name, str(value))
		case value[0] == '[':
			c.list(name, value)
		default:
			if c.others == nil {
				c.others = fields{}
			}
			c.others[name] = bytes.Clone(value)
		}
	}
}

func (c *carrier) text(name, piece string) {
	if c.texts == nil {
		c.texts = map[string]*strings.Builder{}
	}
	if c.texts[name] == nil {
		c.texts[name] = &strings.Builder{}
	}
	c.texts[name].WriteString(piece)
}

func (c *carrier) list(name string, value json.RawMessage) {
	if c.lists == nil {
		c.lists = map[string]*entries{}
	}
	if c.lists[name] == nil {
		c.lists[name] = &entries{at: map[string]*carrier{}}
	}
	c.lists[name].add(value)
}

// fields returns the members collected so far; nil if there are none.
func (c *carrier) fields() fields {
	if len(c.texts)+len(c.lists)+len(c.others) == 0 {
		return nil
	}
	out := fields{}
	for name, value := range c.others {
		out[name] = value
	}
	for name, list := range c.lists {
		out[name] = list.json()
	}
	for name, text := range c.texts {
		out[name] = quote(text.String())
	}
	return out
}

// entries is a list whose objects come in pieces (OpenRouter's reasoning_details):
// pieces of one type and index are one entry.
type entries struct {
	all []*carrier
	at  map[string]*carrier // by type and index
}

func (e *entries) add(list json.RawMessage) {
	var pieces []json.RawMessage
	if json.Unmarshal(list, &pieces) != nil {
		return
	}
	for _, piece := range pieces {
		var o fields
		if json.Unmarshal(piece, &o) != nil {
			continue
		}
		id := string(o["type"]) + " " + string(o["index"])
		entry := e.at[id]
		if entry == nil || len(o["index"]) == 0 {
			entry = &carrier{}
			e.all = append(e.all, entry)
			e.at[id] = entry
		}
		for name, value := range o {
			entry.member(name, value)
		}
	}
}

// member adds a member of one piece of an entry: texts are appended, other values replaced.
func (c *carrier) member(name string, value json.RawMessage) {
	switch name {
	case "text", "summary", "data":
		if len(value) > 0 && value[0] == '"' {
			c.text(name, str(value))
			return
		}
	}
	if c.others == nil {
		c.others = fields{}
	}
	if string(value) != "null" || len(c.others[name]) == 0 {
		c.others[name] = bytes.Clone(value)
	}
}

func (e *entries) json() json.RawMessage {
	all := make([]fields, len(e.all))
	for i, entry := range e.all {
		all[i] = entry.fields()
	}
	out, err := json.Marshal(all)
	if err != nil {
		return json.RawMessage("[]")
	}
	return out
}
