package batch

import (
	"encoding/json"
	"slices"
)

// Fit returns the object of a row as a worker's input schema wants it: a table has only texts, so
// a field whose type in the schema is integer, number or boolean gets that value where the text
// is one, and an empty text in such a field is left out. Anything else stays as it is, and the
// schema decides.
func (in Input) Fit(schema json.RawMessage) json.RawMessage {
	var want struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	}
	var object map[string]json.RawMessage
	if !in.Row || json.Unmarshal(schema, &want) != nil || json.Unmarshal(in.JSON, &object) != nil {
		return in.JSON
	}
	changed := false
	for name, raw := range object {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			continue
		}
		switch value, kind := []byte(text), want.Properties[name].Type; {
		case !fits(kind, "integer", "number", "boolean") || fits(kind, "string"):
		case text == "":
			delete(object, name)
			changed = true
		case isA(value, kind):
			object[name] = value
			changed = true
		}
	}
	if !changed {
		return in.JSON
	}
	data, err := json.Marshal(object)
	if err != nil {
		return in.JSON
	}
	return data
}

// fits reports whether a schema's type is, or has, one of the names.
func fits(kind any, names ...string) bool {
	switch kind := kind.(type) {
	case string:
		return slices.Contains(names, kind)
	case []any:
		return slices.ContainsFunc(kind, func(one any) bool { return fits(one, names...) })
	}
	return false
}

// isA reports whether a text is the JSON of a value of the type.
func isA(text []byte, kind any) bool {
	var value any
	if json.Unmarshal(text, &value) != nil {
		return false
	}
	switch value.(type) {
	case bool:
		return fits(kind, "boolean")
	case float64:
		return fits(kind, "integer", "number")
	}
	return false
}
