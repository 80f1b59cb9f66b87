package tool

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// defaultOf returns the default that a schema declares; nil if it declares none.
func defaultOf(schema json.RawMessage) json.RawMessage {
	var s struct {
		Default json.RawMessage `json:"default"`
	}
	if json.Unmarshal(schema, &s) != nil || len(s.Default) > maxDefault {
		return nil
	}
	return s.Default
}

// maxDefault is the largest default that counts, in bytes.
const maxDefault = 64 << 10

// WithDefaults returns an object with the defaults of the properties that it lacks, also in
// objects inside it. It returns everything else unchanged.
func WithDefaults(schema, object json.RawMessage) json.RawMessage {
	return withDefaults(schema, object, 0)
}

func withDefaults(schema, object json.RawMessage, depth int) json.RawMessage {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	var fields map[string]json.RawMessage
	if object = bytes.TrimSpace(object); depth > maxCoerceDepth || len(object) == 0 || object[0] != '{' ||
		json.Unmarshal(schema, &s) != nil || len(s.Properties) == 0 || json.Unmarshal(object, &fields) != nil {
		return object
	}
	changed := false
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		value, given := fields[name]
		if !given {
			value = defaultOf(s.Properties[name])
		}
		if value == nil {
			continue
		}
		whole := withDefaults(s.Properties[name], value, depth+1)
		if !given || !bytes.Equal(whole, bytes.TrimSpace(value)) {
			fields[name], changed = whole, true
		}
	}
	if !changed {
		return object
	}
	out, err := json.Marshal(fields)
	if err != nil { // unreachable: the values were parsed from JSON
		return object
	}
	return out
}
