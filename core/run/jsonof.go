package run

import (
	"encoding/json"
	"strings"
)

// maxPreface is how long a text before a JSON value may be, in bytes.
const maxPreface = 500

// jsonOf returns the JSON value of an answer that has one: the whole answer, the inside
// of its only code fence, or what follows one short text. It returns other answers as
// they are.
func jsonOf(answer string) string {
	text := strings.TrimSpace(strings.TrimPrefix(answer, "\uFEFF"))
	if json.Valid([]byte(text)) {
		return text
	}
	if inside := fenced(text); json.Valid([]byte(inside)) {
		return inside
	}
	if at := strings.IndexAny(text, "{["); at > 0 && at <= maxPreface && json.Valid([]byte(text[at:])) {
		return text[at:]
	}
	return text
}

// fenced returns the inside of the only code fence of a text; "" if it has none or
// several.
func fenced(text string) string {
	parts := strings.Split("\n"+text, "\n```")
	if len(parts) != 3 || strings.Contains(parts[2], "```") {
		return ""
	}
	_, body, _ := strings.Cut(parts[1], "\n") // after the language
	return strings.TrimSpace(body)
}
