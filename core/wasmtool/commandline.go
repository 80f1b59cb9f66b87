package wasmtool

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/tool"
)

// A description with a command line makes a tool from a WASI command that was not written
// for golem: command: [--count, "{word}", --, "{path}"].

// Limits of a command line.
const (
	maxWords = 64
	maxWord  = 4096    // bytes of one word of a description
	maxArgv  = 1 << 20 // bytes of all arguments of one call
)

// braced matches {field} in a word, {{ and }}, which stand for a brace, and single braces.
var braced = regexp.MustCompile(`\{\{|\}\}|\{[^{}]*\}|[{}]`)

// checkCommand checks the words of the command line. If there is no input schema, it
// infers one: each field in the words is a required text.
func (d *Description) checkCommand(i int) *flaw {
	if d.Command == nil {
		if d.Stdin != "" {
			return flawed(i, "stdin", "%s has stdin and no command", d.Name)
		}
		return nil
	}
	if len(d.Command) > maxWords {
		return flawed(i, "command", "the command of %s has %d words; at most %d are allowed", d.Name, len(d.Command), maxWords)
	}
	var fields []string
	for n, word := range append(slices.Clone(d.Command), d.Stdin) {
		key := "command"
		if n == len(d.Command) {
			key = "stdin"
		}
		if len(word) > maxWord || strings.ContainsRune(word, 0) {
			return flawed(i, key, "the %s of %s has a word of more than %d bytes, or with a NUL byte", key, d.Name, maxWord)
		}
		for _, mark := range braced.FindAllString(word, -1) {
			switch {
			case mark == "{{" || mark == "}}":
			case len(mark) < 3:
				return flawed(i, key, "the %s of %s has a brace that is no {field}; write {{ or }} for a brace", key, d.Name)
			case !slices.Contains(fields, mark[1:len(mark)-1]):
				fields = append(fields, mark[1:len(mark)-1])
			}
		}
	}
	if len(d.Input) == 0 || string(d.Input) == "null" {
		return d.inferInput(i, fields)
	}
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(d.Input, &schema) == nil { // schemas reports other errors of the schema
		for _, name := range fields {
			if _, known := schema.Properties[name]; !known {
				return flawed(i, "command", "the command of %s uses the field %q, which is not in the properties of its inputSchema", d.Name, Escape([]byte(name), 60))
			}
		}
	}
	return nil
}

func (d *Description) inferInput(i int, fields []string) *flaw {
	properties := map[string]any{}
	for _, name := range fields {
		properties[name] = map[string]string{"type": "string"}
	}
	raw, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": append([]string{}, fields...), "additionalProperties": false})
	if err != nil { // unreachable: texts can be marshalled
		return flawed(i, "command", "the command of %s: %s", d.Name, err)
	}
	d.Input = raw
	return nil
}

// commandLine replaces the fields in the words with the arguments of one call.
type commandLine struct {
	name   string // of the tool
	fields map[string]json.RawMessage
	ended  bool // a word -- came before: the program takes no later word for an option
}

// argv returns the arguments of a call without argv[0], and its standard input.
func (d *Description) argv(args *tool.Arguments) (argv []string, stdin []byte, err error) {
	c := commandLine{name: d.Name, fields: args.Fields()}
	size := 0
	for _, word := range d.Command {
		words, err := c.word(word)
		if err != nil {
			return nil, nil, err
		}
		for _, w := range words {
			size += len(w) + 1
			if strings.ContainsRune(w, 0) {
				return nil, nil, fault.New(fault.ToolInput, "an argument of %s has a NUL byte", d.Name)
			}
		}
		argv = append(argv, words...)
		c.ended = c.ended || word == "--"
	}
	if size > maxArgv {
		return nil, nil, fault.New(fault.ToolInput, "the arguments of %s have more than %d bytes", d.Name, maxArgv).Hinting("give it less in one call")
	}
	text, _, err := c.fill(d.Stdin)
	return argv, []byte(text), err
}

// word returns the arguments for one word of the command line: none if it has a field
// that is not given, and one for each item if the word is a single field that is a list.
func (c *commandLine) word(word string) ([]string, error) {
	if mark := braced.FindString(word); mark == word && len(mark) > 2 {
		raw := c.fields[mark[1:len(mark)-1]]
		items := []json.RawMessage{raw}
		if jsonList(raw) {
			items = nil
			if err := json.Unmarshal(raw, &items); err != nil { // unreachable: it was decoded before
				return nil, fault.Of(err, fault.ToolInput)
			}
		}
		var out []string
		for _, item := range items {
			text, given := plainText(item)
			if !given {
				continue
			}
			if strings.HasPrefix(text, "-") && !c.ended && item[0] == '"' {
				return nil, fault.New(fault.ToolInput, "%s of %s begins with -, and the program would take it for an option", mark, c.name).
					Hinting("give another value, such as ./-x for a file")
			}
			out = append(out, text)
		}
		return out, nil
	}
	text, given, err := c.fill(word)
	if !given || err != nil {
		return nil, err
	}
	return []string{text}, nil
}

// fill replaces the fields in a text; given is false if one of them is not given.
func (c *commandLine) fill(text string) (out string, given bool, err error) {
	given = true
	out = braced.ReplaceAllStringFunc(text, func(mark string) string {
		if len(mark) == 2 {
			return mark[:1]
		}
		raw := c.fields[mark[1:len(mark)-1]]
		if jsonList(raw) {
			err = fault.New(fault.ToolInput, "%s of %s is a list, and a list must be a word of its own", mark, c.name)
		}
		value, ok := plainText(raw)
		given = given && ok
		return value
	})
	return out, given, err
}

// plainText returns a value in the form that a program reads: a text without its quotes,
// anything else as JSON. null counts as not given.
func plainText(raw json.RawMessage) (text string, given bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return "", false
	}
	if raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
		return text, true
	}
	return string(raw), true
}
