package model

import (
	"encoding/json"
	"slices"
	"strings"
)

// outputMode returns how a provider is asked for a declared output. JSONSchema and
// JSONObject are only for schemas of objects.
func (p Provider) outputMode(schema json.RawMessage, tools bool) string {
	var top struct{ Type any }
	if json.Unmarshal(schema, &top) != nil || top.Type != "object" || p.JSON == "" || p.Quirks.JSONAlone && tools {
		return JSONNone
	}
	return p.JSON
}

// inWords returns messages whose system message also asks for the declared output.
func inWords(messages []Message, schema json.RawMessage) []Message {
	words := "Give your final answer as one JSON value that is valid under this JSON Schema, without any other text:\n" + string(schema)
	for i, msg := range messages {
		if msg.Role == System {
			out := slices.Clone(messages)
			out[i].Text = strings.TrimRight(msg.Text, "\n") + "\n\n" + words
			return out
		}
	}
	return append([]Message{{Role: System, Text: words}}, messages...)
}

// plain lists the schema keywords that providers can enforce.
var plain = []string{"type", "properties", "required", "additionalProperties", "items", "enum", "const", "description", "title", "anyOf", "$defs", "$ref"}

// strict reports whether providers can enforce a schema: each object names all its
// properties, requires them and allows no others, and no keyword is outside plain.
// golem checks the answer in any case.
func strict(schema json.RawMessage) bool {
	var s map[string]json.RawMessage
	if json.Unmarshal(schema, &s) != nil {
		return false
	}
	for name := range s {
		if !slices.Contains(plain, name) {
			return false
		}
	}
	if raw, object := s["properties"]; object || str(s["type"]) == "object" {
		var properties map[string]json.RawMessage
		var required []string
		if json.Unmarshal(raw, &properties) != nil || string(s["additionalProperties"]) != "false" ||
			len(properties) > 0 && json.Unmarshal(s["required"], &required) != nil || len(required) != len(properties) {
			return false
		}
		for name, one := range properties {
			if !slices.Contains(required, name) || !strict(one) {
				return false
			}
		}
	}
	return strictIn(s)
}

// strictIn reports the same for the schemas inside a schema, except those of its properties.
func strictIn(s map[string]json.RawMessage) bool {
	var defs map[string]json.RawMessage
	var any []json.RawMessage
	if raw, has := s["items"]; has && !strict(raw) {
		return false
	}
	if raw, has := s["$defs"]; has && json.Unmarshal(raw, &defs) != nil {
		return false
	}
	if raw, has := s["anyOf"]; has && json.Unmarshal(raw, &any) != nil {
		return false
	}
	for _, one := range defs {
		if !strict(one) {
			return false
		}
	}
	return !slices.ContainsFunc(any, func(one json.RawMessage) bool { return !strict(one) })
}
