package sdk

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"
)

// schema is a JSON Schema 2020-12. encoding/json sorts its keys.
type schema map[string]any

// An inference infers the schemas of Go types, from how encoding/json writes them.
type inference struct {
	result bool           // the type is a tool's result: a value that can be nil can be null
	outer  []reflect.Type // the types that contain this one
}

// argument returns the schema of a tool's argument, which must be a struct.
func argument(t reflect.Type) (schema, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("the argument of a tool must be a struct, not %s", t)
	}
	s, err := inference{}.of(t)
	if err == nil && s.kind() != "object" {
		return nil, fmt.Errorf("the argument of a tool must be a struct without a JSON marshaler of its own, and %s has one", t)
	}
	return s, err
}

// enter returns the inference for the parts of a type. It fails for a type that contains
// itself: the schema would need references, which are not inferred.
func (in inference) enter(t reflect.Type) (inference, error) {
	if slices.Contains(in.outer, t) {
		return in, fmt.Errorf("%s contains itself, so no schema can be inferred", t)
	}
	in.outer = append(slices.Clone(in.outer), t)
	return in, nil
}

// of returns the schema of a type.
func (in inference) of(t reflect.Type) (schema, error) {
	if s, ok := in.known(t); ok {
		return s, nil
	}
	in, err := in.enter(t)
	if err != nil {
		return nil, err
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
		s, err := in.of(t.Elem())
		return in.nullable(s), err // a slice is nullable already, and stays so
	case reflect.Slice:
		items, err := in.of(t.Elem())
		return in.nullable(schema{"type": "array", "items": items}), err
	case reflect.Array:
		items, err := in.of(t.Elem())
		return schema{"type": "array", "items": items, "minItems": t.Len(), "maxItems": t.Len()}, err
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			return nil, fmt.Errorf("%s has keys that are not strings", t)
		}
		values, err := in.of(t.Elem())
		return in.nullable(schema{"type": "object", "additionalProperties": values}), err
	case reflect.Struct:
		return in.object(t)
	}
	return nil, fmt.Errorf("%s cannot be written as JSON", t)
}

// known returns the schema of a type whose JSON form does not follow from its kind.
func (in inference) known(t reflect.Type) (schema, bool) {
	is := func(of ...reflect.Type) bool {
		return t.Kind() != reflect.Pointer && slices.ContainsFunc(of, func(o reflect.Type) bool { return t.Implements(o) || reflect.PointerTo(t).Implements(o) })
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return schema{"type": "string", "format": "date-time"}, true
	case t == reflect.TypeFor[json.Number]():
		return schema{"type": "number"}, true
	case t == reflect.TypeFor[json.RawMessage](), t.Kind() == reflect.Interface,
		is(reflect.TypeFor[json.Marshaler](), reflect.TypeFor[json.Unmarshaler]()):
		return schema{}, true
	case is(reflect.TypeFor[encoding.TextMarshaler](), reflect.TypeFor[encoding.TextUnmarshaler]()):
		return schema{"type": "string"}, true
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return in.nullable(schema{"type": "string", "contentEncoding": "base64"}), true
	}
	return nil, false
}

func (in inference) nullable(s schema) schema {
	if kind, ok := s["type"].(string); ok && in.result {
		s["type"] = []string{kind, "null"}
	}
	return s
}
