package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is a compiled JSON Schema (2020-12; draft-07 where $schema says so).
// It is immutable and safe for concurrent use.
type Schema struct {
	root     *node
	resolved *jsonschema.Resolved
}

// Compile reads a schema. nil (or null) stands for "any object". load
// fetches the files that $ref names, by their path relative to the schema's
// own ("defs.json"); nil refuses them. Nothing is ever fetched from a network.
//
// What could make validation endless or huge is refused with E_SCHEMA:
// references that lead back to themselves without entering the value, bad or
// oversized patterns, too many parts, nested $id, unsupported drafts.
func Compile(raw json.RawMessage, load func(uri string) ([]byte, error)) (s *Schema, err error) {
	defer func() {
		if p := recover(); p != nil {
			s, err = nil, badSchema("the schema cannot be used: %v", p)
		}
	}()
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage(`{"type":"object"}`)
	}
	whole, draft7, err := readBundle(raw, load)
	if err != nil {
		return nil, err
	}
	root, err := compileNodes(whole, draft7)
	if err != nil {
		return nil, err
	}
	if top, ok := whole.(map[string]any); ok && draft7 {
		top["$schema"] = "http://json-schema.org/draft-07/schema#"
	}
	text, err := json.Marshal(whole)
	if err != nil {
		return nil, badSchema("the schema cannot be used: %w", err)
	}
	lib := new(jsonschema.Schema)
	if err := json.Unmarshal(text, lib); err != nil {
		return nil, badSchema("the schema is malformed: %s", libraryText(err))
	}
	resolved, err := lib.Resolve(nil)
	if err != nil {
		return nil, badSchema("the schema is malformed: %s", libraryText(err))
	}
	return &Schema{root: root, resolved: resolved}, nil
}

// Validate returns where v breaks the schema, in the order of the schema's
// keywords and the value's sorted keys; nothing if it is valid. Whether it is
// valid is the JSON Schema library's word alone; golem's own walk only finds
// the places to name. A value whose check would cost too much is invalid.
func (s *Schema) Validate(v json.RawMessage) (vs []Violation) {
	defer func() {
		if p := recover(); p != nil {
			vs = []Violation{{Message: fmt.Sprintf("cannot be checked: %v", p)}}
		}
	}()
	plain, val, err := parseValue(v)
	if err != nil {
		return []Violation{{Message: "is no valid JSON: " + err.Error()}}
	}
	m := meter{}
	if !m.visit(s.root, val, false, 1) {
		return []Violation{{Message: "is too large for its schema: the check would take too long"}}
	}
	verdict := s.resolved.Validate(plain)
	if verdict == nil {
		return nil
	}
	found := explain(s.root, val, "")
	if len(found) == 0 {
		return []Violation{{Message: libraryText(verdict)}}
	}
	return found
}

// libraryText is the library's message without its name and without the chain of
// schema positions in front ("validating root: validating /properties/n: …").
func libraryText(err error) string {
	text := strings.TrimPrefix(err.Error(), "jsonschema: ")
	for strings.HasPrefix(text, "validating ") {
		_, rest, ok := strings.Cut(text, ": ")
		if !ok {
			break
		}
		text = rest
	}
	return shorten(text, 300)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// escapePointer makes a key one token of a JSON pointer.
func escapePointer(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

// shorten cuts text to about most bytes, at a character.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	cut := strings.ToValidUTF8(text[:most], "")
	return cut + "…"
}
