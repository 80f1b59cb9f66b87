package tool

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// walker finds the places of a value that break a schema. The library has
// given the verdict already; this only says where and why, in words for a
// model, so that a keyword it does not know costs a good message, not truth.
type walker struct {
	root  *jsonschema.Schema
	found []Violation
}

// maxFound is how many places are told.
const maxFound = 20

func (w *walker) add(path, format string, args ...any) {
	if len(w.found) < maxFound {
		w.found = append(w.found, Violation{Path: path, Message: fmt.Sprintf(format, args...)})
	}
}

func (w *walker) walk(s *jsonschema.Schema, v any, path string, depth int) {
	if s == nil || depth > 4*MaxDepth || len(w.found) >= maxFound {
		return
	}
	if s.Ref != "" {
		w.walk(w.deref(s.Ref), v, path, depth+1)
	}
	types := s.Types
	if s.Type != "" {
		types = []string{s.Type}
	}
	if len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return isType(v, t) }) {
		w.add(path, "must be %s, got %s", strings.Join(types, " or "), typeName(v))
		return
	}
	w.values(s, v, path)
	switch v := v.(type) {
	case map[string]any:
		w.object(s, v, path, depth)
	case []any:
		w.array(s, v, path, depth)
	case string:
		w.text(s, v, path)
	case float64:
		w.number(s, v, path)
	}
	for _, sub := range s.AllOf {
		w.walk(sub, v, path, depth+1)
	}
	if n := len(s.AnyOf) + len(s.OneOf); n > 0 && !w.fitsOne(s, v) {
		w.add(path, "must fit exactly one of the %d forms that the schema allows, or at least one of them", n)
	}
}

// deref finds a schema within the root by its pointer.
func (w *walker) deref(ref string) *jsonschema.Schema {
	pointer, err := refPointer(ref)
	if err != nil {
		return nil
	}
	return partAt(w.root, pointer)
}

// fitsOne asks of each form alone whether it would find fault with the value.
func (w *walker) fitsOne(s *jsonschema.Schema, v any) bool {
	count := func(forms []*jsonschema.Schema) (n int) {
		for _, f := range forms {
			probe := walker{root: w.root}
			if probe.walk(f, v, "", 0); len(probe.found) == 0 {
				n++
			}
		}
		return n
	}
	return (len(s.AnyOf) == 0 || count(s.AnyOf) > 0) && (len(s.OneOf) == 0 || count(s.OneOf) == 1)
}

func (w *walker) values(s *jsonschema.Schema, v any, path string) {
	if s.Enum != nil && !slices.ContainsFunc(s.Enum, func(e any) bool { return same(e, v) }) {
		w.add(path, "must be one of %s, got %s", short(s.Enum), short(v))
	}
	if s.Const != nil && !same(*s.Const, v) {
		w.add(path, "must be %s, got %s", short(*s.Const), short(v))
	}
}

func (w *walker) object(s *jsonschema.Schema, v map[string]any, path string, depth int) {
	for _, k := range s.Required {
		if _, ok := v[k]; !ok {
			w.add(path+"/"+escapePointer(k), "is required")
		}
	}
	for _, k := range sortedKeys(v) {
		at := path + "/" + escapePointer(k)
		if p, ok := s.Properties[k]; ok {
			w.walk(p, v[k], at, depth+1)
			continue
		}
		matched := false
		for pattern, p := range s.PatternProperties {
			if re, err := regexp.Compile(pattern); err == nil && re.MatchString(k) {
				matched = true
				w.walk(p, v[k], at, depth+1)
			}
		}
		if s.AdditionalProperties == nil || matched {
			continue
		}
		if isFalse(s.AdditionalProperties) {
			w.add(at, "is not a known field; known: %s", strings.Join(slices.Sorted(keys(s.Properties)), ", "))
			continue
		}
		w.walk(s.AdditionalProperties, v[k], at, depth+1)
	}
	if s.MinProperties != nil && len(v) < *s.MinProperties || s.MaxProperties != nil && len(v) > *s.MaxProperties {
		w.add(path, "has the wrong number of fields: %d", len(v))
	}
}

func (w *walker) array(s *jsonschema.Schema, v []any, path string, depth int) {
	if s.MinItems != nil && len(v) < *s.MinItems {
		w.add(path, "must have at least %d items, got %d", *s.MinItems, len(v))
	}
	if s.MaxItems != nil && len(v) > *s.MaxItems {
		w.add(path, "must have at most %d items, got %d", *s.MaxItems, len(v))
	}
	for i, e := range v {
		item := s.Items
		if i < len(s.PrefixItems) {
			item = s.PrefixItems[i]
		}
		w.walk(item, e, fmt.Sprintf("%s/%d", path, i), depth+1)
	}
}

func (w *walker) text(s *jsonschema.Schema, v, path string) {
	n := utf8.RuneCountInString(v)
	if s.MinLength != nil && n < *s.MinLength {
		w.add(path, "must have at least %d characters, got %d", *s.MinLength, n)
	}
	if s.MaxLength != nil && n > *s.MaxLength {
		w.add(path, "must have at most %d characters, got %d", *s.MaxLength, n)
	}
	if s.Pattern != "" {
		if re, err := regexp.Compile(s.Pattern); err == nil && !re.MatchString(v) {
			w.add(path, "must match %s, got %s", s.Pattern, short(v))
		}
	}
}

func (w *walker) number(s *jsonschema.Schema, v float64, path string) {
	switch {
	case s.Minimum != nil && v < *s.Minimum:
		w.add(path, "must be ≥ %v, got %v", *s.Minimum, v)
	case s.Maximum != nil && v > *s.Maximum:
		w.add(path, "must be ≤ %v, got %v", *s.Maximum, v)
	case s.ExclusiveMinimum != nil && v <= *s.ExclusiveMinimum:
		w.add(path, "must be > %v, got %v", *s.ExclusiveMinimum, v)
	case s.ExclusiveMaximum != nil && v >= *s.ExclusiveMaximum:
		w.add(path, "must be < %v, got %v", *s.ExclusiveMaximum, v)
	case s.MultipleOf != nil && *s.MultipleOf > 0 && math.Mod(v, *s.MultipleOf) != 0:
		w.add(path, "must be a multiple of %v, got %v", *s.MultipleOf, v)
	}
}

// isFalse reports whether a schema is `false`, which the library keeps as
// {"not":{}}.
func isFalse(s *jsonschema.Schema) bool {
	return s.Not != nil && reflect.DeepEqual(*s.Not, jsonschema.Schema{})
}

func isType(v any, t string) bool {
	f, number := v.(float64)
	switch t {
	case "number":
		return number
	case "integer":
		return number && f == math.Trunc(f)
	}
	return typeName(v) == t
}

func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return fmt.Sprintf("%T", v)
}

func same(a, b any) bool {
	x, errx := json.Marshal(a)
	y, erry := json.Marshal(b)
	return errx == nil && erry == nil && string(x) == string(y)
}

// short shows a value in at most 80 characters.
func short(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if r := []rune(string(raw)); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return string(raw)
}

func keys(m map[string]*jsonschema.Schema) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// lastCause is the end of a library error, which repeats the schema's path at
// every step.
func lastCause(err error) string {
	for {
		next, ok := err.(interface{ Unwrap() error })
		if !ok || next.Unwrap() == nil {
			return strings.TrimPrefix(err.Error(), "validating root: ")
		}
		err = next.Unwrap()
	}
}
