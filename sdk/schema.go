package sdk

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// schema is a JSON Schema 2020-12. encoding/json writes its keys in order.
type schema map[string]any

// object is the schema of a struct, the argument of a tool.
func object(t reflect.Type) (schema, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("the argument of a tool is a struct, not %s", t)
	}
	return of(t, nil)
}

// of infers the schema of a Go type. outer are the types it is part of: a type
// that holds itself has no schema without references, which are not inferred.
func of(t reflect.Type, outer []reflect.Type) (schema, error) {
	for _, o := range outer {
		if o == t && t.Kind() == reflect.Struct {
			return nil, fmt.Errorf("%s holds itself: no schema can be inferred", t)
		}
	}
	outer = append(outer, t)
	switch {
	case t == reflect.TypeFor[json.RawMessage](), t.Kind() == reflect.Interface:
		return schema{}, nil
	case t == reflect.TypeFor[time.Time]():
		return schema{"type": "string", "format": "date-time"}, nil
	case t == reflect.TypeFor[[]byte]():
		return schema{"type": "string", "contentEncoding": "base64"}, nil
	}
	switch t.Kind() {
	case reflect.Bool:
		return schema{"type": "boolean"}, nil
	case reflect.String:
		return schema{"type": "string"}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return schema{"type": "integer"}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return schema{"type": "integer", "minimum": 0}, nil
	case reflect.Float32, reflect.Float64:
		return schema{"type": "number"}, nil
	case reflect.Pointer:
		return of(t.Elem(), outer)
	case reflect.Slice, reflect.Array:
		items, err := of(t.Elem(), outer)
		return schema{"type": "array", "items": items}, err
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			return nil, fmt.Errorf("%s has keys that are no strings", t)
		}
		values, err := of(t.Elem(), outer)
		return schema{"type": "object", "additionalProperties": values}, err
	case reflect.Struct:
		return fields(t, outer)
	}
	return nil, fmt.Errorf("%s has no JSON", t)
}

// fields is the schema of a struct: its exported fields, those of embedded
// structs among them, each required unless it is a pointer or omitempty.
func fields(t reflect.Type, outer []reflect.Type) (schema, error) {
	properties := schema{}
	required := []string{}
	for _, f := range reflect.VisibleFields(t) {
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || f.Anonymous && name == "" || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		s, err := of(f.Type, outer)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.Name, err)
		}
		if doc := f.Tag.Get("doc"); doc != "" {
			s["description"] = doc
		}
		if enum := f.Tag.Get("enum"); enum != "" {
			s["enum"] = strings.Split(enum, ",")
		}
		properties[name] = s
		if f.Type.Kind() != reflect.Pointer && !strings.Contains(rest, "omit") {
			required = append(required, name)
		}
	}
	out := schema{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		out["required"] = required
	}
	return out, nil
}
