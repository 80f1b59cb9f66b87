package tool

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"golem/core/fault"
)

// The keywords whose values are schemas. All other values in a schema are data.
var (
	singleKeywords = []string{"not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames",
		"unevaluatedItems", "unevaluatedProperties", "additionalItems"}
	listKeywords = []string{"allOf", "anyOf", "oneOf", "prefixItems", "items"}
	mapKeywords  = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
)

// refused are keywords by which a schema could refer to itself without a $ref, so that
// refuseLoops would not see it.
var refused = []string{"$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$anchor"}

// libraryKeywords returns the keywords that the library reads, by their folded form.
// encoding/json ignores letter case, so the library also reads "$Ref" and "ALLOF",
// which the checks here do not look for.
var libraryKeywords = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	note := func(names ...string) {
		for _, n := range names {
			out[foldKey(n)] = n
		}
	}
	t := reflect.TypeFor[jsonschema.Schema]()
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
			note(name)
		}
	}
	note("type")
	note(singleKeywords...)
	note(listKeywords...)
	note(mapKeywords...)
	return out
})

// checkKeywords refuses keywords that the library and golem could read differently.
func checkKeywords(m map[string]any, at string) error {
	for _, k := range sortedKeys(m) {
		if known, ok := libraryKeywords()[foldKey(k)]; ok && known != k {
			return fault.New(fault.Schema, "unknown keyword %.100q, at #%s", k, at).Hinting("did you mean %s", known)
		}
	}
	for _, k := range refused {
		if _, ok := m[k]; ok {
			return fault.New(fault.Schema, "%s is not supported, at #%s", k, at).Hinting("use $ref with a path, like #/$defs/Name")
		}
	}
	if _, ok := m["$id"]; ok && at != "" {
		return fault.New(fault.Schema, "$id below the top is not supported, at #%s", at).Hinting("remove it: references start at the top of the schema")
	}
	return nil
}

// refPointer returns the JSON pointer in a $ref, decoded as the library decodes it.
func refPointer(ref string) (string, error) {
	u, err := url.Parse(ref)
	if err != nil || !strings.HasPrefix(ref, "#") || u.Fragment != "" && u.Fragment[0] != '/' {
		return "", fault.New(fault.Schema, "the reference %.200q points outside the schema", ref).
			Hinting("refer to a part of the schema, like #/$defs/Name")
	}
	return u.Fragment, nil
}

// draft returns $schema in the spelling that the library knows: "" for 2020-12.
func draft(version string) (string, error) {
	_, rest, _ := strings.Cut(strings.TrimSuffix(version, "#"), "://")
	switch {
	case version == "" || rest == "json-schema.org/draft/2020-12/schema":
		return "", nil
	case rest == "json-schema.org/draft-07/schema":
		return "http://json-schema.org/draft-07/schema#", nil
	}
	return "", fault.New(fault.Schema, "$schema %.100q is not supported", version).
		Hinting("write the schema as JSON Schema 2020-12 or draft-07")
}

// eachPart calls visit for each subschema of m with its relative pointer, in a
// fixed order.
func eachPart(m map[string]any, visit func(part any, key string) error) error {
	for _, k := range singleKeywords {
		v, ok := m[k]
		if _, isList := v.([]any); !ok || isList {
			continue
		}
		if err := visit(v, "/"+k); err != nil {
			return err
		}
	}
	for _, k := range listKeywords {
		parts, _ := m[k].([]any)
		for i, part := range parts {
			if err := visit(part, fmt.Sprintf("/%s/%d", k, i)); err != nil {
				return err
			}
		}
	}
	for _, k := range mapKeywords {
		parts, _ := m[k].(map[string]any)
		for _, name := range sortedKeys(parts) {
			if _, names := parts[name].([]any); names && k == "dependencies" {
				continue // draft-07: names of required properties
			}
			if err := visit(parts[name], "/"+k+"/"+escapePointer(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func escapePointer(k string) string {
	return strings.ReplaceAll(strings.ReplaceAll(k, "~", "~0"), "/", "~1")
}

func unescapePointer(k string) string {
	return strings.ReplaceAll(strings.ReplaceAll(k, "~1", "/"), "~0", "~")
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
