package worktest

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"golem/core/tool"
)

// ValueOf returns an output as JSON: its data, or its text as a JSON string.
func ValueOf(out tool.Output) json.RawMessage {
	if len(out.Data) > 0 {
		return out.Data
	}
	return jsonText(out.Text)
}

// jsonText returns a text as a JSON string in which &, < and > stay as they are, because people
// read it in files of tests.
func jsonText(text string) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil { // unreachable: texts always encode
		return json.RawMessage(`""`)
	}
	return bytes.TrimSpace(b.Bytes())
}

// Same reports whether two outputs, as ValueOf returns them, are equal. JSON is compared as
// values: keys may be in any order, and 1.0 is 1. A text that is JSON equals that JSON. Line
// breaks at the end of a text do not count.
func Same(a, b json.RawMessage) bool {
	if sameText(a, b) {
		return true
	}
	x, okX := structure(a)
	y, okY := structure(b)
	return okX && okY && bytes.Equal(x, y)
}

func sameText(a, b json.RawMessage) bool {
	var x, y string
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && ended(x) == ended(y)
}

func ended(s string) string { return strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), "\n") }

// structure returns the canonical form of a value, or of the JSON that a text contains.
func structure(v json.RawMessage) (json.RawMessage, bool) {
	var text string
	if json.Unmarshal(v, &text) == nil {
		v = json.RawMessage(text)
	}
	canonical, err := tool.Canonical(v)
	return canonical, err == nil
}

// textOf returns an output as a text, in which to search.
func textOf(out tool.Output) string {
	if len(out.Data) == 0 {
		return out.Text
	}
	var text string
	if json.Unmarshal(out.Data, &text) == nil {
		return text
	}
	return string(out.Data)
}

// pointed returns the value at a JSON pointer (RFC 6901).
func pointed(v json.RawMessage, pointer string) (json.RawMessage, bool) {
	if pointer == "" {
		return v, true
	}
	for _, part := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		var list []json.RawMessage
		var object map[string]json.RawMessage
		switch {
		case json.Unmarshal(v, &object) == nil && object != nil:
			next, ok := object[part]
			if !ok {
				return nil, false
			}
			v = next
		case json.Unmarshal(v, &list) == nil:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(list) || part != strconv.Itoa(i) {
				return nil, false
			}
			v = list[i]
		default:
			return nil, false
		}
	}
	return v, true
}
