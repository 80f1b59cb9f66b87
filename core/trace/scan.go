package trace

import "encoding/json"

// The functions here walk JSON that is known to be valid, without recursion
// and in one pass, so that neither depth nor size of what a model or a tool
// sent matters.

// stringEnd returns the index behind the string that starts at src[i].
func stringEnd(src []byte, i int) int {
	for i++; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(src)
}

// valueEnd returns the index behind the value that starts at src[i].
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

// space returns the index of the first byte from i on that is no white space.
func space(src []byte, i int) int {
	for i < len(src) && (src[i] == ' ' || src[i] == '\t' || src[i] == '\n' || src[i] == '\r') {
		i++
	}
	return i
}

// isKey says whether the string that ended before src[i] is an object's key.
func isKey(src []byte, i int) bool {
	i = space(src, i)
	return i < len(src) && src[i] == ':'
}

// unquote reads a JSON string; what is none comes back as it is.
func unquote(raw []byte) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

// member is one field of an object, as it stands in the text.
type member struct {
	name string
	raw  []byte
}

// members returns the fields of an object in their order. from is 1 where src
// begins with the object's brace, 0 where the braces are left out.
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
