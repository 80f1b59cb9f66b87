package model

import (
	"encoding/json"
	"strings"
)

// chunk is one event of a stream of chat completions, or a whole answer, as far
// as golem reads it. Providers differ in the types of what is RawMessage here.
type chunk struct {
	Choices []choice                         `json:"choices"`
	Usage   json.RawMessage                  `json:"usage"`
	XGroq   *struct{ Usage json.RawMessage } `json:"x_groq"`
	Error   json.RawMessage                  `json:"error"`
	Message json.RawMessage                  `json:"message"` // of an error without "error"
	Detail  json.RawMessage                  `json:"detail"`  // of an error without "error", too
}

type choice struct {
	Index   json.Number     `json:"index"`
	Delta   json.RawMessage `json:"delta"`
	Message json.RawMessage `json:"message"` // of a whole answer, or all of it so far
	Text    json.RawMessage `json:"text"`    // of old servers
	Finish  json.RawMessage `json:"finish_reason"`
	Native  json.RawMessage `json:"native_finish_reason"`
	Usage   json.RawMessage `json:"usage"` // Moonshot's place
	Error   json.RawMessage `json:"error"` // OpenRouter's, of the provider behind it
}

// piece is a delta or a message.
type piece struct {
	Content   json.RawMessage `json:"content"`
	Refusal   json.RawMessage `json:"refusal"`
	Reasoning json.RawMessage `json:"reasoning_content"`
	Thought   json.RawMessage `json:"reasoning"`
	ToolCalls []fragment      `json:"tool_calls"`
	Function  *function       `json:"function_call"` // of old servers
}

// fragment is a piece of a tool call.
type fragment struct {
	Index    json.Number     `json:"index"`
	ID       json.RawMessage `json:"id"`
	Function function        `json:"function"`
	Custom   custom          `json:"custom"`
	raw      json.RawMessage
}

type function struct {
	Name      json.RawMessage `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// says reports whether f is a call or a part of one: some gateways send one without name
// and arguments beside each text.
func (f *function) says() bool {
	return f != nil && (str(f.Name) != "" || str(f.Arguments) != "" || len(f.Arguments) > 0 && f.Arguments[0] == '{')
}

// custom is a call of a tool that takes any text.
type custom struct {
	Name  json.RawMessage `json:"name"`
	Input json.RawMessage `json:"input"`
}

// UnmarshalJSON also sets raw, from which carrier takes the members that go back to the
// provider.
func (f *fragment) UnmarshalJSON(data []byte) error {
	type plain fragment
	f.raw = data
	return json.Unmarshal(data, (*plain)(f))
}

// complains reports whether the event is an error and no answer.
func (c *chunk) complains() bool {
	switch string(c.Error) {
	case "", "null", `""`, "false", "{}", "0":
		return c.Choices == nil && (str(c.Message) != "" || given(c.Detail))
	}
	return true
}

// content returns a piece's text. Providers send a string, a list of parts, of which
// only text counts, or, in a few cases, a bare number.
func content(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	switch raw[0] {
	case '"':
		return str(raw)
	case '[':
		return parts(raw)
	case '{':
		return object(raw)
	}
	return string(raw)
}

// object returns the text of a content that is an object: a part, or, from gateways that
// parse a structured answer themselves, the answer.
func object(raw json.RawMessage) string {
	var part struct{ Type, Text json.RawMessage }
	if json.Unmarshal(raw, &part) == nil && (len(part.Type) > 0 && part.Type[0] == '"' || len(part.Text) > 0) {
		if text := parts(json.RawMessage("[" + string(raw) + "]")); text != "" {
			return text
		}
	}
	if string(raw) == "{}" {
		return ""
	}
	return string(raw)
}

func parts(raw json.RawMessage) string {
	var all []struct{ Type, Text json.RawMessage }
	if json.Unmarshal(raw, &all) != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range all {
		switch str(p.Type) {
		case "", "text", "output_text":
			b.WriteString(str(p.Text))
		}
	}
	return b.String()
}

// argsText returns a fragment of arguments. Providers send a string or, in a few cases,
// the object itself. whole is false if the string contains bytes that are not UTF-8, or
// half a surrogate pair. Such arguments must not run.
func argsText(raw json.RawMessage) (text string, whole bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", true
	}
	if raw[0] != '"' {
		return string(raw), true
	}
	text = str(raw)
	return text, !strings.Contains(text, "\uFFFD") || repaired(raw) == 0
}

// repaired counts the places of a JSON string that a decoder replaces by U+FFFD.
func repaired(raw json.RawMessage) int {
	given := strings.Count(string(raw), "\uFFFD")
	for i := 0; i+1 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		if i++; raw[i] == 'u' && i+5 <= len(raw) && strings.EqualFold(string(raw[i+1:i+5]), "fffd") {
			given++
		}
	}
	return strings.Count(str(raw), "\uFFFD") - given
}
