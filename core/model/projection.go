package model

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"golem/core/fault"
	"golem/core/tool"
)

// parameters returns a tool's input schema in a form that the provider accepts. golem
// checks arguments against the whole schema in any case.
func (p Provider) parameters(s tool.Spec) json.RawMessage {
	out, err := projected(s.Input, p.plainSchemas)
	if err != nil {
		return json.RawMessage(noParameters) // unreachable in a run, which leaves such tools out
	}
	return out
}

// Unfit returns E_SCHEMA for a tool whose input schema no provider would accept in any
// form; nil for all others.
func Unfit(s tool.Spec) error {
	_, err := projected(s.Input, false)
	return err
}

// Simplified reports whether providers get another input schema than the tool has, because
// some refuse a part of it.
func Simplified(input json.RawMessage) bool {
	out, err := projected(input, false)
	return err == nil && len(input) > 0 && !sameSchema(input, out)
}

// sameSchema reports whether schemas differ in nothing but $schema and empty keywords.
func sameSchema(a, b json.RawMessage) bool {
	var x, y map[string]any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	for key, value := range map[string]any{"properties": map[string]any{}, "type": "object"} {
		if _, has := x[key]; !has {
			x[key] = value
		}
	}
	delete(x, "$schema")
	return reflect.DeepEqual(x, y)
}

const noParameters = `{"type":"object","properties":{}}`

// projections is the cache of projected, because every request has the same few schemas.
var projections struct {
	sync.Mutex
	all map[projection]projectionResult
}

type projection struct {
	schema string
	plain  bool
}

type projectionResult struct {
	out json.RawMessage
	err error
}

// projected returns a schema in the form that providers accept: an object with properties
// and without combinators at the top, lists with one schema for all items, and patterns
// that every engine knows. plain says that the provider knows few keywords.
func projected(input json.RawMessage, plain bool) (json.RawMessage, error) {
	if len(input) == 0 {
		return json.RawMessage(noParameters), nil
	}
	key := projection{string(input), plain}
	projections.Lock()
	defer projections.Unlock()
	if r, ok := projections.all[key]; ok {
		return r.out, r.err
	}
	if len(projections.all) >= 1024 || projections.all == nil {
		projections.all = map[projection]projectionResult{}
	}
	out, err := project(input, plain)
	projections.all[key] = projectionResult{out, err}
	return out, err
}

func project(input json.RawMessage, plain bool) (json.RawMessage, error) {
	switch strings.TrimSpace(string(input)) {
	case "true", "null":
		return json.RawMessage(noParameters), nil
	case "false":
		return nil, noObject()
	}
	inner, err := tool.EditSchema(input, func(part map[string]any) bool { return simplify(part, plain) })
	if err != nil {
		return nil, err
	}
	var top map[string]any
	if err := decodeNumbers(inner, &top); err != nil || top == nil {
		return json.RawMessage(noParameters), nil
	}
	_, dialect := top["$schema"]
	_, properties := top["properties"].(map[string]any)
	if !dialect && properties && top["type"] == "object" && !slices.ContainsFunc(notAtTop, func(k string) bool { return top[k] != nil }) {
		return inner, nil
	}
	delete(top, "$schema")
	f := flattener{root: maps.Clone(top)}
	if err := f.flatten(top, 0); err != nil {
		return nil, err
	}
	if top["properties"] == nil {
		top["properties"] = map[string]any{}
	}
	top["type"] = "object"
	return encodeSchema(top)
}

func noObject() *fault.Fault {
	return fault.New(fault.Schema, "its arguments are not an object, which every provider requires")
}

func decodeNumbers(raw json.RawMessage, into any) error {
	in := json.NewDecoder(strings.NewReader(string(raw)))
	in.UseNumber()
	return in.Decode(into)
}

func encodeSchema(schema map[string]any) (json.RawMessage, error) {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(schema); err != nil {
		return nil, fault.New(fault.Schema, "it cannot be encoded: %w", err)
	}
	return json.RawMessage(strings.TrimSpace(out.String())), nil
}

// notAtTop are the keywords that providers refuse at the top of a schema.
var notAtTop = []string{"anyOf", "oneOf", "allOf", "not", "if", "then", "else", "enum", "const", "$ref",
	"dependentSchemas", "dependencies", "dependentRequired", "unevaluatedProperties"}

// simplify rewrites in one part of a schema what some provider refuses anywhere in it. It
// reports whether it changed something. plain also drops keywords that few providers know.
func simplify(part map[string]any, plain bool) bool {
	changed := dropPatterns(part)
	if tuple, ok := tupleOf(part); ok {
		part["items"], changed = oneFor(tuple), true
		delete(part, "prefixItems")
		delete(part, "additionalItems")
	}
	if _, has := part["items"].(map[string]any); !has && part["type"] == "array" {
		part["items"], changed = map[string]any{}, true // also in place of true and false
	}
	properties, _ := part["properties"].(map[string]any)
	for name, one := range properties {
		if b, ok := one.(bool); ok {
			if changed = true; b {
				properties[name] = map[string]any{}
			} else {
				delete(properties, name)
			}
		}
	}
	return plain && simplifyMore(part) || changed
}

// dropPatterns removes the patterns that not every engine knows: look-around, and
// properties of characters.
func dropPatterns(part map[string]any) bool {
	changed := tool.DropPatterns(part)
	if text, ok := part["pattern"].(string); ok && isOddPattern(text) {
		delete(part, "pattern")
		changed = true
	}
	named, _ := part["patternProperties"].(map[string]any)
	for name := range named {
		if isOddPattern(name) {
			delete(named, name)
			delete(part, "additionalProperties") // would refuse what the pattern allowed
			changed = true
		}
	}
	return changed
}

func isOddPattern(pattern string) bool {
	return slices.ContainsFunc([]string{"(?", `\p`, `\P`}, func(s string) bool { return strings.Contains(strings.ReplaceAll(pattern, "(?:", "("), s) })
}

// tupleOf returns the schemas of a list's items by position.
func tupleOf(part map[string]any) ([]any, bool) {
	tuple, old := part["items"].([]any)
	rest := part["additionalItems"]
	if !old {
		if tuple, old = part["prefixItems"].([]any); !old {
			return nil, false
		}
		rest = part["items"]
	}
	if m, ok := rest.(map[string]any); ok {
		tuple = append(slices.Clone(tuple), m)
	}
	return tuple, true
}

// oneFor returns a schema for a value that fits one of several schemas.
func oneFor(schemas []any) map[string]any {
	var all []any
	for _, s := range schemas {
		if m, ok := s.(map[string]any); !ok || len(m) == 0 {
			return map[string]any{}
		}
		if !slices.ContainsFunc(all, func(a any) bool { return reflect.DeepEqual(a, s) }) {
			all = append(all, s)
		}
	}
	switch len(all) {
	case 0:
		return map[string]any{}
	case 1:
		return all[0].(map[string]any)
	}
	return map[string]any{"anyOf": all}
}

// simplifyMore rewrites what a provider refuses that reads only a part of JSON Schema.
func simplifyMore(part map[string]any) bool {
	changed := false
	for _, key := range []string{"propertyNames", "patternProperties", "contains", "if", "then", "else", "not", "$comment", "examples",
		"dependentRequired", "dependentSchemas", "unevaluatedProperties", "unevaluatedItems", "contentMediaType", "contentEncoding"} {
		if _, has := part[key]; has {
			delete(part, key)
			changed = true
		}
	}
	if value, has := part["const"]; has {
		delete(part, "const")
		part["enum"], changed = []any{value}, true
	}
	for from, to := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum", "oneOf": "anyOf"} {
		value, has := part[from]
		if !has {
			continue
		}
		if delete(part, from); part[to] == nil {
			part[to] = value
		}
		changed = true
	}
	return changed
}
