package approval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golem/core/fault"
	"golem/core/tool"
)

// decode parses the arguments of a call. They must be one JSON object that is valid
// against the schema and has no keys that the schema does not know (SPEC §7, S0-62).
// Where they do not fit and can only mean one thing, they are coerced, and coerced gets
// what was changed; it may be nil.
func (g *Gate) decode(spec tool.Spec, raw json.RawMessage, coerced func(notes []string)) (json.RawMessage, error) {
	args, err := tool.Decode(raw)
	if err != nil {
		return nil, fault.Of(err, fault.ToolInput)
	}
	var notes []string
	if text := string(args); text == "null" || text == `""` {
		args, notes = json.RawMessage("{}"), []string{"the arguments " + text + " count as {}"}
	}
	if len(args) == 0 || args[0] != '{' {
		return nil, fault.New(fault.ToolInput, "%s: the arguments are not a JSON object", spec.Name).
			Hinting("send one JSON object with the tool's parameters")
	}
	s, err := g.schemas.of(spec.Input)
	if err != nil {
		return nil, fault.Of(err, fault.Schema)
	}
	if f := s.keys.unknown(spec.Name, args); f != nil {
		return nil, f
	}
	if vs := s.schema.Validate(args); len(vs) > 0 {
		other, more := tool.Coerce(spec.Input, args)
		if len(more) > 0 {
			other, err = tool.Decode(other)
		}
		if len(more) == 0 || err != nil || len(s.schema.Validate(other)) > 0 {
			return nil, tool.InputFault(spec.Name, vs)
		}
		args, notes = other, append(notes, more...)
	}
	if len(notes) > 0 && coerced != nil {
		coerced(notes)
	}
	return args, nil
}

// schemas caches compiled input schemas, because tools are called often and
// their schemas never change. The zero value is an empty cache.
type schemas struct {
	mu    sync.Mutex
	known map[string]*inputSchema
}

type inputSchema struct {
	schema *tool.Schema
	keys   keySet
}

// maxSchemas is how many schemas the cache holds; when it is full, it is emptied.
const maxSchemas = 4096

func (c *schemas) of(raw json.RawMessage) (*inputSchema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.known[string(raw)]; s != nil {
		return s, nil
	}
	schema, err := tool.Compile(raw)
	if err != nil {
		return nil, err
	}
	s := &inputSchema{schema, keysOf(raw, 0)}
	if c.known == nil || len(c.known) >= maxSchemas {
		c.known = map[string]*inputSchema{}
	}
	c.known[string(raw)] = s
	return s, nil
}

// keySet is the set of keys that a schema allows in an object, and in the
// objects inside it. The zero value allows every key.
type keySet struct {
	closed bool // the schema lists its properties and does not mention others
	names  []string
	fields map[string]keySet
	items  *keySet
}

// opens are the keywords with which a schema itself says which other keys are
// allowed; for such a schema only the validator decides.
var opens = []string{
	"additionalProperties", "unevaluatedProperties", "patternProperties", "propertyNames",
	"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas",
}

const maxKeyDepth = 64

func keysOf(raw json.RawMessage, depth int) keySet {
	var s map[string]json.RawMessage
	if depth > maxKeyDepth || json.Unmarshal(raw, &s) != nil {
		return keySet{}
	}
	var k keySet
	if items := s["items"]; items != nil && s["prefixItems"] == nil {
		sub := keysOf(items, depth+1)
		k.items = &sub
	}
	var props map[string]json.RawMessage
	if json.Unmarshal(s["properties"], &props) != nil || len(props) == 0 {
		return k
	}
	k.closed = !slices.ContainsFunc(opens, func(word string) bool { return s[word] != nil })
	k.fields = map[string]keySet{}
	for name, sub := range props {
		k.names = append(k.names, name)
		k.fields[name] = keysOf(sub, depth+1)
	}
	slices.Sort(k.names)
	return k
}

// unknown returns a fault for the first key that the schema does not know, or
// nil. args must come from the strict decoder, which limits their depth.
func (k keySet) unknown(name string, args json.RawMessage) *fault.Fault {
	at, key, near := k.find("", args)
	if key == "" {
		return nil
	}
	key, _ = Visible(key)
	return fault.New(fault.ToolInput, "%s: unknown key %q%s", name, shorten(key), at).Hinting("%s", near)
}

// find returns the place of the first unknown key, in the order of the
// document.
func (k keySet) find(at string, raw json.RawMessage) (where, key, hint string) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0:
	case raw[0] == '{' && k.fields != nil:
		return k.findField(at, raw)
	case raw[0] == '[' && k.items != nil:
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil {
			return "", "", ""
		}
		for i, v := range list {
			if w, key, hint := k.items.find(fmt.Sprintf("%s/%d", at, i), v); key != "" {
				return w, key, hint
			}
		}
	}
	return "", "", ""
}

func (k keySet) findField(at string, raw json.RawMessage) (where, key, hint string) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return "", "", ""
	}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return "", "", ""
		}
		name, _ := tok.(string)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return "", "", ""
		}
		sub, known := k.fields[name]
		if !known && k.closed {
			return inside(at), quoteEmpty(name), fault.DidYouMean(name, k.names)
		}
		if w, key, hint := sub.find(at+"/"+name, value); key != "" {
			return w, key, hint
		}
	}
	return "", "", ""
}

func inside(at string) string {
	if at == "" {
		return ""
	}
	return " in " + shorten(at)
}

// quoteEmpty returns `""` for an empty key, so that a message can show it.
func quoteEmpty(name string) string {
	if name == "" {
		return `""`
	}
	return name
}

func shorten(s string) string {
	if len(s) > 100 {
		return strings.ToValidUTF8(s[:100], "") + "…"
	}
	return s
}
