package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sync"
)

// Coerce returns arguments that do not fit a schema in the form that they can only mean:
// without null for a field that is not required and is never null, and with numbers and
// booleans that were written as strings. notes says what was changed, with its place;
// none if nothing was. args must come from Decode, and the result is to be validated.
func Coerce(schema, args json.RawMessage) (out json.RawMessage, notes []string) {
	c := coercion{}
	out = c.value(schema, args, "", 0)
	if len(c.notes) == 0 {
		return args, nil
	}
	return out, c.notes
}

type coercion struct{ notes []string }

// shape is what Coerce reads of a schema. A schema that says more about types than
// "type" is left to the validator.
type shape struct {
	Type       any                        `json:"type"`
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
	Items      json.RawMessage            `json:"items"`
	Enum       json.RawMessage            `json:"enum"`
	Const      json.RawMessage            `json:"const"`
	Ref        string                     `json:"$ref"`
	AnyOf      json.RawMessage            `json:"anyOf"`
	OneOf      json.RawMessage            `json:"oneOf"`
	AllOf      json.RawMessage            `json:"allOf"`
}

// types returns the types that a value may have; nil if that is not clear.
func (s shape) types() []string {
	if s.Ref != "" || s.AnyOf != nil || s.OneOf != nil || s.AllOf != nil || s.Const != nil || s.Enum != nil {
		return nil
	}
	switch t := s.Type.(type) {
	case string:
		return []string{t}
	case []any:
		var out []string
		for _, one := range t {
			name, ok := one.(string)
			if !ok {
				return nil
			}
			out = append(out, name)
		}
		return out
	}
	return nil
}

var (
	aNumber = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?$`)
	})
	anInteger = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-?(0|[1-9][0-9]{0,30})$`) })
)

const maxCoerceDepth = 32

// value returns a value in the form that its schema asks for.
func (c *coercion) value(schema, raw json.RawMessage, at string, depth int) json.RawMessage {
	var s shape
	if depth > maxCoerceDepth || len(raw) == 0 || json.Unmarshal(schema, &s) != nil {
		return raw
	}
	switch raw[0] {
	case '{':
		return c.object(s, raw, at, depth)
	case '[':
		return c.list(s, raw, at, depth)
	case '"':
		return c.scalar(s.types(), raw, at)
	}
	return raw
}

func (c *coercion) scalar(types []string, raw json.RawMessage, at string) json.RawMessage {
	var text string
	if len(types) == 0 || slices.Contains(types, "string") || json.Unmarshal(raw, &text) != nil {
		return raw
	}
	number, integer := slices.Contains(types, "number"), slices.Contains(types, "integer")
	if (text == "true" || text == "false") && slices.Contains(types, "boolean") || number && aNumber().MatchString(text) || integer && anInteger().MatchString(text) {
		c.notes = append(c.notes, fmt.Sprintf("%s: the string %s counts as %s", at, raw, text))
		return json.RawMessage(text)
	}
	return raw
}

func (c *coercion) list(s shape, raw json.RawMessage, at string, depth int) json.RawMessage {
	var all []json.RawMessage
	if len(s.Items) == 0 || json.Unmarshal(raw, &all) != nil {
		return raw
	}
	parts := make([][]byte, len(all))
	for i, one := range all {
		parts[i] = c.value(s.Items, one, fmt.Sprintf("%s/%d", at, i), depth+1)
	}
	return slices.Concat([]byte("["), bytes.Join(parts, []byte(",")), []byte("]"))
}

func (c *coercion) object(s shape, raw json.RawMessage, at string, depth int) json.RawMessage {
	if len(s.Properties) == 0 {
		return raw
	}
	object := ReadArguments(raw)
	fields := object.WrittenFields()
	var members [][]byte
	put := func(name string, value json.RawMessage) {
		quoted, _ := json.Marshal(name) // a text always encodes
		members = append(members, slices.Concat(quoted, []byte(":"), value))
	}
	for _, name := range object.Names() {
		value, place := fields[name], at+"/"+name
		if own, known := s.Properties[name]; known {
			if string(value) == "null" && !slices.Contains(s.Required, name) && !mayBeNull(own) {
				c.notes = append(c.notes, place+": null counts as absent")
				continue
			}
			value = c.value(own, value, place, depth+1)
		}
		put(name, value)
	}
	for _, name := range s.Required {
		value := defaultOf(s.Properties[name])
		if _, given := fields[name]; given || value == nil {
			continue
		}
		fields[name] = value
		c.notes = append(c.notes, fmt.Sprintf("%s/%s: it is required and absent, so its default %s counts", at, name, value))
		put(name, value)
	}
	return slices.Concat([]byte("{"), bytes.Join(members, []byte(",")), []byte("}"))
}

// mayBeNull reports whether null may be a value of its own for a schema.
func mayBeNull(schema json.RawMessage) bool {
	var s shape
	if json.Unmarshal(schema, &s) != nil {
		return true
	}
	if s.Enum != nil && s.Ref == "" && s.AnyOf == nil && s.OneOf == nil && s.AllOf == nil && s.Const == nil {
		var all []json.RawMessage
		return json.Unmarshal(s.Enum, &all) != nil || slices.ContainsFunc(all, func(one json.RawMessage) bool { return string(one) == "null" })
	}
	types := s.types()
	return len(types) == 0 || slices.Contains(types, "null")
}
