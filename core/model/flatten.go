package model

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// flattener removes the combinators at the top of a schema.
type flattener struct {
	root map[string]any // the whole schema, for references
}

// maxFlattened is how deep combinators and references may be nested.
const maxFlattened = 16

// flatten makes an object with all properties that any branch allows, and with those
// required that every branch requires. golem checks the arguments against the branches.
func (f flattener) flatten(top map[string]any, depth int) error {
	if depth > maxFlattened {
		return noObject().Hinting("its schema nests references or combinators too deeply")
	}
	if ref, ok := top["$ref"].(string); ok {
		target, found := f.find(ref)
		if !found {
			return noObject().Hinting("its reference %.100q leads to no schema of an object", ref)
		}
		delete(top, "$ref")
		if err := f.join(top, []any{target}, true, depth); err != nil {
			return err
		}
	}
	if !allowsObject(top["type"]) {
		return noObject()
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		branches, _ := top[key].([]any)
		delete(top, key)
		if err := f.join(top, branches, key == "allOf", depth); err != nil {
			return err
		}
	}
	for _, key := range []string{"then", "else"} {
		if branch, ok := top[key].(map[string]any); ok {
			if err := f.join(top, []any{branch, map[string]any{}}, false, depth); err != nil {
				return err
			}
		}
	}
	for _, key := range notAtTop {
		delete(top, key)
	}
	return nil
}

func allowsObject(kind any) bool {
	list, ok := kind.([]any)
	return kind == nil || kind == "object" || ok && slices.Contains(list, any("object"))
}

// find returns the part of the schema to which a reference leads.
func (f flattener) find(ref string) (map[string]any, bool) {
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil, false
	}
	var at any = f.root
	for _, key := range strings.Split(path, "/") {
		m, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		at = m[strings.NewReplacer("~1", "/", "~0", "~").Replace(key)]
	}
	found, ok := at.(map[string]any)
	return found, ok
}

// join adds the properties of branches to top. all says that every branch applies;
// otherwise only what all of them require is required.
func (f flattener) join(top map[string]any, branches []any, all bool, depth int) error {
	var common []string // required in every branch
	objects := 0
	for _, b := range branches {
		branch, ok := b.(map[string]any)
		if !ok {
			continue
		}
		branch = maps.Clone(branch)
		if err := f.flatten(branch, depth+1); err != nil {
			if all {
				return err
			}
			continue // another branch may be an object
		}
		required := texts(branch["required"])
		if objects++; objects == 1 || all {
			common = append(common, required...)
		} else {
			common = slices.DeleteFunc(common, func(name string) bool { return !slices.Contains(required, name) })
		}
		properties, _ := branch["properties"].(map[string]any)
		f.add(top, properties, all)
		if about, ok := branch["description"].(string); ok && top["description"] == nil && all {
			top["description"] = about
		}
	}
	if len(branches) > 0 && objects == 0 {
		return noObject()
	}
	required := texts(top["required"])
	for _, name := range common {
		if !slices.Contains(required, name) {
			required = append(required, name)
		}
	}
	if len(required) > 0 {
		top["required"] = required
	}
	return nil
}

// texts returns the texts of a list.
func texts(v any) (out []string) {
	switch list := v.(type) {
	case []string:
		return slices.Clone(list)
	case []any:
		for _, one := range list {
			if s, ok := one.(string); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

// add adds properties to those of top. A property with two schemas fits both if all is
// true, else one of them.
func (f flattener) add(top, properties map[string]any, all bool) {
	if len(properties) == 0 {
		return
	}
	had, _ := top["properties"].(map[string]any)
	out := maps.Clone(had)
	if out == nil {
		out = map[string]any{}
	}
	for name, schema := range properties {
		before, has := out[name]
		switch {
		case !has:
			out[name] = schema
		case reflect.DeepEqual(before, schema):
		case all:
			out[name] = map[string]any{"allOf": []any{before, schema}}
		default:
			out[name] = oneFor(append(alternatives(before), schema))
		}
	}
	top["properties"] = out
}

// alternatives returns the schemas between which a schema chooses, itself if it chooses
// between none.
func alternatives(schema any) []any {
	if m, ok := schema.(map[string]any); ok && len(m) == 1 {
		if list, ok := m["anyOf"].([]any); ok {
			return slices.Clone(list)
		}
	}
	return []any{schema}
}
