package tool

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// walker finds the places where a value does not fit a schema, and describes them for a
// model. The library has already decided that the value is not valid. So a keyword that
// walker does not know makes the message worse, but never the decision wrong.
type walker struct {
	found []Violation
}

// maxFound is the greatest number of violations that are reported.
const maxFound = 20

func (w *walker) add(path, format string, args ...any) {
	w.found = append(w.found, Violation{Path: path, Message: fmt.Sprintf(format, args...)})
}

// full reports whether maxFound violations were found, so that the search can stop.
func (w *walker) full() bool { return len(w.found) >= maxFound }

func (w *walker) walk(n *node, v any, path string, depth int) {
	if n == nil || depth > 4*MaxDepth || w.full() {
		return
	}
	w.walk(n.ref, v, path, depth+1)
	types := n.words("type")
	if t, ok := n.kw["type"].(string); ok {
		types = []string{t}
	}
	if len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return isType(v, t) }) {
		w.add(path, "must be %s, got %s", strings.Join(types, " or "), typeName(v))
		return
	}
	w.values(n, v, path)
	switch v := v.(type) {
	case map[string]any:
		w.object(n, v, path, depth)
	case []any:
		w.array(n, v, path, depth)
	case string:
		w.text(n, v, path)
	case float64:
		w.number(n, v, path)
	}
	for _, sub := range n.lists["allOf"] {
		w.walk(sub, v, path, depth+1)
	}
	anyOf, oneOf := n.lists["anyOf"], n.lists["oneOf"]
	if len(anyOf) > 0 && fitting(anyOf, v) == 0 || len(oneOf) > 0 && fitting(oneOf, v) != 1 {
		w.add(path, "must fit exactly one of the %d forms that the schema allows, or at least one of them", len(anyOf)+len(oneOf))
	}
}

// words returns the list of texts that is the value of a keyword.
func (n *node) words(keyword string) (out []string) {
	list, _ := n.kw[keyword].([]any)
	for _, item := range list {
		text, _ := item.(string)
		out = append(out, text)
	}
	return out
}

// bound returns the number that is the value of a keyword, and whether it has one.
func (n *node) bound(keyword string) (float64, bool) {
	limit, ok := n.kw[keyword].(float64)
	return limit, ok
}

// fitting counts the forms that, each alone, find no fault with the value.
func fitting(forms []*node, v any) (count int) {
	for _, form := range forms {
		var probe walker
		if probe.walk(form, v, "", 0); len(probe.found) == 0 {
			count++
		}
	}
	return count
}

func (w *walker) values(n *node, v any, path string) {
	if list, ok := n.kw["enum"].([]any); ok && !slices.ContainsFunc(list, func(e any) bool { return reflect.DeepEqual(e, v) }) {
		w.add(path, "must be one of %s, got %s", short(list), short(v))
	}
	if want, ok := n.kw["const"]; ok && !reflect.DeepEqual(want, v) {
		w.add(path, "must be %s, got %s", short(want), short(v))
	}
}

func (w *walker) object(n *node, v map[string]any, path string, depth int) {
	for _, k := range n.words("required") {
		if _, ok := v[k]; !ok && !w.full() {
			w.add(path+"/"+escapePointer(k), "is required")
		}
	}
	known := n.maps["properties"]
	for _, k := range sortedKeys(v) {
		if w.full() {
			return
		}
		at := path + "/" + escapePointer(k)
		if p, ok := known[k]; ok {
			w.walk(p, v[k], at, depth+1)
			continue
		}
		matched := false
		for _, p := range n.patterns {
			if p.re.MatchString(k) {
				matched = true
				w.walk(p.node, v[k], at, depth+1)
			}
		}
		switch {
		case matched:
		case n.kw["additionalProperties"] == false:
			w.add(at, "is not a known field; known: %s", strings.Join(sortedKeys(known), ", "))
		default:
			w.walk(n.single["additionalProperties"], v[k], at, depth+1)
		}
	}
	w.length(n, "Properties", "fields", len(v), path)
}

func (w *walker) array(n *node, v []any, path string, depth int) {
	w.length(n, "Items", "items", len(v), path)
	for i, e := range v {
		item := n.single["items"]
		for _, keyword := range [...]string{"prefixItems", "items"} {
			if list := n.lists[keyword]; i < len(list) {
				item = list[i]
			}
		}
		w.walk(item, e, fmt.Sprintf("%s/%d", path, i), depth+1)
	}
}

// length compares a length with the keywords minKEY and maxKEY.
func (w *walker) length(n *node, key, what string, length int, path string) {
	if least, ok := n.bound("min" + key); ok && float64(length) < least {
		w.add(path, "must have at least %.0f %s, got %d", least, what, length)
	}
	if most, ok := n.bound("max" + key); ok && float64(length) > most {
		w.add(path, "must have at most %.0f %s, got %d", most, what, length)
	}
}

func (w *walker) text(n *node, v, path string) {
	w.length(n, "Length", "characters", utf8.RuneCountInString(v), path)
	if n.pattern != nil && !n.pattern.re.MatchString(v) {
		w.add(path, "must match %s, got %s", n.kw["pattern"], short(v))
	}
}

func (w *walker) number(n *node, v float64, path string) {
	for _, rule := range [...]struct {
		keyword, words string
		least, most    int // the range of cmp.Compare(v, limit) that is valid
	}{{"minimum", "≥", 0, 1}, {"maximum", "≤", -1, 0}, {"exclusiveMinimum", ">", 1, 1}, {"exclusiveMaximum", "<", -1, -1}} {
		limit, ok := n.bound(rule.keyword)
		if c := cmp.Compare(v, limit); ok && (c < rule.least || c > rule.most) {
			w.add(path, "must be %s %v, got %v", rule.words, limit, v)
			return
		}
	}
	if unit, ok := n.bound("multipleOf"); ok && !isMultiple(v, unit) {
		w.add(path, "must be a multiple of %v, got %v", unit, v)
	}
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

// short returns a value as JSON, cut to 80 characters.
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

// lastCause returns the message of the innermost error: the library wraps it once for
// each step of the schema's path.
func lastCause(err error) string {
	for {
		next, ok := err.(interface{ Unwrap() error })
		if !ok || next.Unwrap() == nil {
			return strings.TrimPrefix(err.Error(), "validating root: ")
		}
		err = next.Unwrap()
	}
}
