package sdk

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A member is a member of the JSON object that encoding/json writes for a struct.
type member struct {
	name   string
	schema schema
	must   bool
}

// object returns the schema of a struct.
func (in inference) object(t reflect.Type) (schema, error) {
	members, err := in.members(t)
	if err != nil {
		return nil, err
	}
	properties, required := schema{}, []string{}
	for _, m := range members {
		properties[m.name] = m.schema
		if m.must {
			required = append(required, m.name)
		}
	}
	out := schema{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		out["required"] = required
	}
	return out, nil
}

// members returns the fields of a struct and those of the structs embedded in it that
// no field of the same name hides. It fails where encoding/json would drop fields
// because their names are the same.
func (in inference) members(t reflect.Type) ([]member, error) {
	var own, inner []member
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if deep := pointedAt(f.Type); f.Anonymous && name == "" && deep.Kind() == reflect.Struct {
			more, err := in.embeddedMembers(deep, f.Type != deep)
			if err != nil {
				return nil, err
			}
			inner = append(inner, more...)
			continue
		}
		if !f.IsExported() || f.Tag.Get("json") == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		m, err := in.member(f, name, strings.Split(options, ","))
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.Name, err)
		}
		own = append(own, m)
	}
	inner = slices.DeleteFunc(inner, func(m member) bool { return named(own, m.name) })
	all := append(own, inner...)
	for i, m := range all {
		if named(all[:i], m.name) {
			return nil, fmt.Errorf("%s has two fields %q", t, m.name)
		}
	}
	return all, nil
}

// embeddedMembers returns the members of an embedded struct. If the struct is embedded by
// pointer, which can be nil, none of them is required.
func (in inference) embeddedMembers(t reflect.Type, optional bool) ([]member, error) {
	in, err := in.enter(t)
	if err != nil {
		return nil, err
	}
	ms, err := in.members(t)
	for i := range ms {
		ms[i].must = ms[i].must && !optional
	}
	return ms, err
}

// member returns the member of one field, with what its tags say.
func (in inference) member(f reflect.StructField, name string, options []string) (member, error) {
	s, err := in.of(f.Type)
	if err != nil {
		return member{}, err
	}
	if kind := s.kind(); slices.Contains(options, "string") && kind != "object" && kind != "array" && kind != "" {
		s = schema{"type": "string"}
		if f.Type.Kind() == reflect.Pointer {
			s = in.nullable(s)
		}
	}
	if enum := f.Tag.Get("enum"); enum != "" {
		if err := s.limitTo(strings.Split(enum, ",")); err != nil {
			return member{}, err
		}
	}
	if about := f.Tag.Get("jsonschema"); about != "" {
		s["description"] = about
	}
	optional := f.Type.Kind() == reflect.Pointer || slices.Contains(options, "omitempty") || slices.Contains(options, "omitzero")
	return member{name, s, !optional}, nil
}

// limitTo limits a string, or each string of a list, to these texts.
func (s schema) limitTo(texts []string) error {
	if items, ok := s["items"].(schema); ok {
		return items.limitTo(texts)
	}
	if s.kind() != "string" {
		return fmt.Errorf("enum works only for strings")
	}
	enum := make([]any, 0, len(texts)+1)
	for _, t := range texts {
		enum = append(enum, t)
	}
	if _, nullable := s["type"].([]string); nullable {
		enum = append(enum, nil)
	}
	s["enum"] = enum
	return nil
}

// kind returns the schema's type, without "null".
func (s schema) kind() string {
	switch t := s["type"].(type) {
	case string:
		return t
	case []string:
		return t[0]
	}
	return ""
}

func named(ms []member, name string) bool {
	return slices.ContainsFunc(ms, func(m member) bool { return m.name == name })
}

func pointedAt(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}
