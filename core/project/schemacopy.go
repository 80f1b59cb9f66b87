package project

import (
	"slices"
	"strings"

	"golem/core/fault"
)

// keyword says how the value of a schema keyword holds further schemas.
var keyword = map[string]string{
	"items": "schema", "additionalProperties": "schema", "contains": "schema", "not": "schema", "if": "schema",
	"then": "schema", "else": "schema", "propertyNames": "schema", "unevaluatedItems": "schema",
	"unevaluatedProperties": "schema", "contentSchema": "schema", "additionalItems": "schema",
	"allOf": "list", "anyOf": "list", "oneOf": "list", "prefixItems": "list",
	"properties": "map", "patternProperties": "map", "$defs": "map", "definitions": "map", "dependentSchemas": "map",
}

// copySchema rewrites every reference in a schema. Data (enum, const,
// default, examples) is copied as it is: a "$ref" in it is no reference.
func (k *bundler) copySchema(n *node, file string, top bool) (*node, *fault.Fault) {
	if k.left--; k.left < 0 {
		return nil, n.at.fault(fault.Schema, "the schema is too large with all it refers to")
	}
	if n.kind != dict {
		return n, nil
	}
	out := &node{at: n.at, kind: dict}
	for _, f := range n.fields {
		value, fail := f.value, (*fault.Fault)(nil)
		switch {
		case f.name == "$ref" && value.kind == scalar && value.tag == tagText:
			value, fail = k.reference(value, file)
		case f.name == "$id" || f.name == "$anchor" || top && f.name == "$schema":
			continue // addresses: every reference is rewritten to a path
		case f.name == "$dynamicRef" && !strings.HasPrefix(value.text, "#"):
			fail = value.at.fault(fault.Schema, "$dynamicRef to another file is not supported")
		case f.name == "type":
			fail = typeFault(value)
		default:
			value, fail = k.copyValue(value, file, keyword[f.name])
		}
		if fail != nil {
			return nil, fail
		}
		out.fields = append(out.fields, field{f.name, f.at, value})
	}
	return out, nil
}

func (k *bundler) copyValue(n *node, file, holds string) (*node, *fault.Fault) {
	if holds == "" || n.kind == scalar || holds == "map" && n.kind != dict {
		return n, nil
	}
	if holds == "schema" && n.kind == dict {
		return k.copySchema(n, file, false)
	}
	out := &node{at: n.at, kind: n.kind}
	for _, f := range n.fields {
		c, fail := k.copySchema(f.value, file, false)
		if fail != nil {
			return nil, fail
		}
		out.fields = append(out.fields, field{f.name, f.at, c})
	}
	for _, item := range n.items {
		c, fail := k.copySchema(item, file, false)
		if fail != nil {
			return nil, fail
		}
		out.items = append(out.items, c)
	}
	return out, nil
}

var jsonTypes = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// typeFault checks the words of type:, which no library does.
func typeFault(n *node) *fault.Fault {
	words := n.items
	if n.kind == scalar {
		words = []*node{n}
	}
	for _, w := range words {
		if !slices.Contains(jsonTypes, w.text) {
			return w.fault(fault.Schema, "%s is no JSON type", quoted(w.text)).Hinting("%s", fault.DidYouMean(w.text, jsonTypes))
		}
	}
	return nil
}
