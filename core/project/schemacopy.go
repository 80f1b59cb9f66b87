package project

import (
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

// keyword says for keywords of JSON Schema what their value is: a schema, or a list or
// a mapping of schemas.
var keyword = map[string]string{
	"items": "schema", "additionalProperties": "schema", "contains": "schema", "not": "schema", "if": "schema",
	"then": "schema", "else": "schema", "propertyNames": "schema", "unevaluatedItems": "schema",
	"unevaluatedProperties": "schema", "contentSchema": "schema", "additionalItems": "schema",
	"allOf": "list", "anyOf": "list", "oneOf": "list", "prefixItems": "list",
	"properties": "map", "patternProperties": "map", "$defs": "map", "definitions": "map", "dependentSchemas": "map",
}

// copySchema copies a schema and rewrites every reference in it. Data (enum, const,
// default, examples) is copied as it is: a "$ref" in it is not a reference.
func (k *bundler) copySchema(n *yamltree.Node, file string, top bool) (*yamltree.Node, *fault.Fault) {
	if k.left--; k.left < 0 {
		return nil, n.Pos.Fault(fault.Schema, "the schema and everything it refers to are too large")
	}
	if n.Kind != yamltree.Mapping {
		return n, nil
	}
	out := &yamltree.Node{Pos: n.Pos, Kind: yamltree.Mapping}
	for _, f := range n.Fields {
		value, fail := f.Value, (*fault.Fault)(nil)
		switch {
		case f.Name == "$ref" && value.Kind == yamltree.Scalar && value.Tag == yamltree.TagText:
			value, fail = k.reference(value, file)
		case f.Name == "$id" || f.Name == "$anchor" || top && f.Name == "$schema":
			continue // addresses: every reference is rewritten to a path
		case f.Name == "$dynamicRef" && !strings.HasPrefix(value.Text, "#"):
			fail = value.Pos.Fault(fault.Schema, "$dynamicRef to another file is not supported")
		case f.Name == "type":
			fail = typeFault(value)
		default:
			value, fail = k.copyValue(value, file, keyword[f.Name])
		}
		if fail != nil {
			return nil, fail
		}
		out.Fields = append(out.Fields, yamltree.Field{Name: f.Name, Pos: f.Pos, Value: value})
	}
	return out, nil
}

func (k *bundler) copyValue(n *yamltree.Node, file, holds string) (*yamltree.Node, *fault.Fault) {
	if holds == "" || n.Kind == yamltree.Scalar || holds == "map" && n.Kind != yamltree.Mapping {
		return n, nil
	}
	if holds == "schema" && n.Kind == yamltree.Mapping {
		return k.copySchema(n, file, false)
	}
	out := &yamltree.Node{Pos: n.Pos, Kind: n.Kind}
	for _, f := range n.Fields {
		c, fail := k.copySchema(f.Value, file, false)
		if fail != nil {
			return nil, fail
		}
		out.Fields = append(out.Fields, yamltree.Field{Name: f.Name, Pos: f.Pos, Value: c})
	}
	for _, item := range n.Items {
		c, fail := k.copySchema(item, file, false)
		if fail != nil {
			return nil, fail
		}
		out.Items = append(out.Items, c)
	}
	return out, nil
}

var jsonTypes = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// typeFault returns a fault for a word in type: that is not a JSON type, because the
// schema library does not check that.
func typeFault(n *yamltree.Node) *fault.Fault {
	words := n.Items
	if n.Kind == yamltree.Scalar {
		words = []*yamltree.Node{n}
	}
	for _, w := range words {
		if !slices.Contains(jsonTypes, w.Text) {
			return w.Fault(fault.Schema, "%s is not a JSON type", fault.Quoted(w.Text)).Hinting("%s", fault.DidYouMean(w.Text, jsonTypes))
		}
	}
	return nil
}
