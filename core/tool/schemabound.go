package tool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"golem/core/fault"
)

// maxSteps is how many subschemas may apply to one and the same value.
const maxSteps = 1000

// inPlace are the keywords whose subschemas apply to the value itself, so
// that a cycle through them never ends and nesting them multiplies work.
var inPlace = []string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"}

// refused are keywords through which a schema could refer to itself unseen.
var refused = []string{"$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$anchor"}

// boundSchema refuses schemas whose validation would not end or would take
// out of proportion to the value.
func boundSchema(raw json.RawMessage) error {
	var root any
	if err := json.Unmarshal(raw, &root); err != nil {
		return fault.New(fault.Schema, "not JSON: %w", err)
	}
	switch root.(type) {
	case map[string]any, bool:
	default:
		return fault.New(fault.Schema, "a JSON Schema is an object, not %s", typeName(root))
	}
	b := bounder{root: root, cost: map[string]int{}}
	return b.visit(root, "", 0)
}

type bounder struct {
	root any
	cost map[string]int // by pointer; -1 while it is being measured
}

// visit checks every object in the schema as if it were a subschema: a few
// are not, and being stricter with them does no harm.
func (b *bounder) visit(n any, ptr string, depth int) error {
	if depth > MaxDepth {
		return fault.New(fault.Schema, "the schema nests deeper than %d", MaxDepth)
	}
	switch n := n.(type) {
	case map[string]any:
		if _, err := b.measure(n, ptr); err != nil {
			return err
		}
		for _, k := range sortedKeys(n) {
			if k == "enum" || k == "const" || k == "default" || k == "examples" {
				continue
			}
			if err := b.visit(n[k], ptr+"/"+escapePointer(k), depth+1); err != nil {
				return err
			}
		}
	case []any:
		for i, e := range n {
			if err := b.visit(e, fmt.Sprintf("%s/%d", ptr, i), depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// measure counts the subschemas that apply to one value at n.
func (b *bounder) measure(n map[string]any, ptr string) (int, error) {
	if c, ok := b.cost[ptr]; ok {
		if c < 0 {
			return 0, fault.New(fault.Schema, "the schema refers to itself without going deeper, at #%s", ptr)
		}
		return c, nil
	}
	for _, k := range refused {
		if _, ok := n[k]; ok {
			return 0, fault.New(fault.Schema, "%s is not supported, at #%s", k, ptr).Hinting("use $ref with a path, like #/$defs/Name")
		}
	}
	b.cost[ptr] = -1
	total := 1
	add := func(child any, at string) error {
		m, ok := child.(map[string]any)
		if !ok {
			return nil
		}
		c, err := b.measure(m, at)
		if total += c; err == nil && total > maxSteps {
			err = fault.New(fault.Schema, "more than %d subschemas apply to one value, at #%s", maxSteps, ptr)
		}
		return err
	}
	if err := b.ref(n, ptr, add); err != nil {
		return 0, err
	}
	for _, k := range inPlace {
		if err := eachChild(n[k], ptr+"/"+k, k == "dependentSchemas", add); err != nil {
			return 0, err
		}
	}
	b.cost[ptr] = total
	return total, nil
}

// ref follows a $ref within the schema.
func (b *bounder) ref(n map[string]any, ptr string, add func(any, string) error) error {
	ref, ok := n["$ref"].(string)
	if !ok {
		return nil
	}
	if !strings.HasPrefix(ref, "#") || len(ref) > 1 && ref[1] != '/' {
		return fault.New(fault.Schema, "the reference %q leads out of the schema, at #%s", ref, ptr).
			Hinting("refer to a place within it, like #/$defs/Name")
	}
	target, err := lookup(b.root, ref[1:])
	if err != nil {
		return fault.New(fault.Schema, "the reference %q leads nowhere, at #%s", ref, ptr)
	}
	return add(target, ref[1:])
}

// eachChild calls f for a subschema, each of a list, or each of a map.
func eachChild(n any, ptr string, byName bool, f func(any, string) error) error {
	switch n := n.(type) {
	case []any:
		for i, e := range n {
			if err := f(e, fmt.Sprintf("%s/%d", ptr, i)); err != nil {
				return err
			}
		}
	case map[string]any:
		if !byName {
			return f(n, ptr)
		}
		for _, k := range sortedKeys(n) {
			if err := f(n[k], ptr+"/"+escapePointer(k)); err != nil {
				return err
			}
		}
	}
	return nil
}

// lookup follows a JSON pointer (RFC 6901).
func lookup(n any, ptr string) (any, error) {
	if ptr == "" {
		return n, nil
	}
	for _, e := range strings.Split(ptr, "/")[1:] {
		e = strings.ReplaceAll(strings.ReplaceAll(e, "~1", "/"), "~0", "~")
		switch v := n.(type) {
		case map[string]any:
			next, ok := v[e]
			if !ok {
				return nil, fault.Schema
			}
			n = next
		case []any:
			var i int
			if _, err := fmt.Sscanf(e, "%d", &i); err != nil || i < 0 || i >= len(v) {
				return nil, fault.Schema
			}
			n = v[i]
		default:
			return nil, fault.Schema
		}
	}
	return n, nil
}

func escapePointer(k string) string {
	return strings.ReplaceAll(strings.ReplaceAll(k, "~", "~0"), "/", "~1")
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
