package trace

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// The functions here walk through valid JSON in one pass and without recursion,
// so that neither the depth nor the size of what a model or a tool sent
// matters.

// stringEnd returns the index after the string that begins at src[i].
func stringEnd(src []byte, i int) int {
	quote := i
	for i++; i < len(src); {
		if quote < i {
			n := bytes.IndexByte(src[i:], '"')
			if n < 0 {
				return len(src)
			}
			quote = i + n
		}
		escape := bytes.IndexByte(src[i:quote], '\\')
		if escape < 0 {
			return quote + 1
		}
		i += escape + 2
	}
	return len(src)
}

// valueEnd returns the index after the value that begins at src[i].
func valueEnd(src []byte, i int) int {
	depth := 0
	for i < len(src) {
		switch src[i] {
		case '"':
			i = stringEnd(src, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}

// space returns the index of the first byte from i on that is not white space.
func space(src []byte, i int) int {
	for i < len(src) && (src[i] == ' ' || src[i] == '\t' || src[i] == '\n' || src[i] == '\r') {
		i++
	}
	return i
}

// isKey reports whether the string that ended before src[i] is a key of an
// object.
func isKey(src []byte, i int) bool {
	i = space(src, i)
	return i < len(src) && src[i] == ':'
}

// unquote decodes a JSON string. Other text is returned unchanged.
func unquote(raw []byte) string {
	if n := len(raw); n > 1 && raw[0] == '"' && raw[n-1] == '"' && literal(raw[1:n-1]) {
		return string(raw[1 : n-1])
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

// literal reports whether the inside of a JSON string is ASCII without escapes.
func literal(raw []byte) bool {
	for _, c := range raw {
		if c < 0x20 || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// member is one field of an object: its name, decoded, and its value as JSON text.
type member struct {
	name string
	raw  []byte
}

// members returns the fields of an object in their order. from is 1 if src
// begins with the object's brace, and 0 if the braces are left out.
func members(src []byte, from int) []member {
	i := space(src, 0)
	if from == 1 {
		if i >= len(src) || src[i] != '{' {
			return nil
		}
		i++
	}
	var out []member
	for {
		for i = space(src, i); i < len(src) && src[i] == ','; i = space(src, i) {
			i++
		}
		if i >= len(src) || src[i] != '"' {
			return out
		}
		end := stringEnd(src, i)
		name := unquote(src[i:end])
		i = space(src, end)
		if i >= len(src) || src[i] != ':' {
			return out
		}
		i = space(src, i+1)
		end = valueEnd(src, i)
		out = append(out, member{name, src[i:end]})
		i = end
	}
}
