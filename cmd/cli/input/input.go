// Package input reads INPUT of the command line: words, files, standard input, JSON, and
// the files to attach.
package input

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/run"
	"golem/core/tool"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/runflags"
)

// Size limits of what golem reads, in bytes.
const (
	maxInput  = run.MaxInput
	maxAttach = 64 << 20
)

// Given returns the INPUT of the command line. none is true if there was none, so
// that the caller may read standard input.
func Given(c *console.Console, f *runflags.Flags, words []string) (in run.Input, none bool, err error) {
	if f.Given("input") {
		if f.Given("input-file") {
			return in, false, console.Usage("the input is given twice: with --input and with --input-file").Hinting("use one of them")
		}
		if len(words) > 0 {
			return in, false, console.Usage("the input is given twice: as words and with --input").Hinting("use one of them")
		}
		in, err = JSON(f.Input)
		return in, false, err
	}
	if f.Given("input-file") {
		if len(words) > 0 {
			return in, false, console.Usage("the input is given twice: as words and with --input-file").Hinting("use one of them")
		}
		in.Text, err = readInputFile(c, f.InputFile)
		return in, false, err
	}
	switch {
	case len(words) == 0:
		return in, true, nil
	case len(words) == 1 && words[0] == "-":
		in.Text, err = Stdin(c)
		return in, false, err
	case len(words) == 1 && len(words[0]) > 1 && words[0][0] == '@':
		in.Text, err = readInputFile(c, words[0][1:])
		return in, false, err
	}
	in.Text = strings.Join(words, " ")
	if !utf8.ValidString(in.Text) {
		return in, false, console.Usage("INPUT is not valid UTF-8 text")
	}
	return in, false, nil
}

// JSON parses the value of --input: an object, or a string, which means the same
// as words (S1-61).
func JSON(text string) (run.Input, error) {
	if strings.TrimSpace(text) == "" {
		return run.Input{}, console.Usage("--input is empty").Hinting(`for example --input '{"key": "value"}'; --input '{}' is an object with nothing in it`)
	}
	if text[0] == '@' {
		return run.Input{}, console.Usage("--input takes JSON, not the name of a file").Hinting("give %s without --input: as INPUT it is the content of a file", fault.Brief(text))
	}
	raw, err := tool.Decode([]byte(text))
	if err != nil {
		return run.Input{}, console.Usage("the input is not valid JSON: %s", fault.Of(err, fault.Usage).Message).Hinting(`for example --input '{"key": "value"}'`)
	}
	var s string
	switch {
	case len(raw) > 0 && raw[0] == '{':
		return run.Input{JSON: raw}, nil
	case json.Unmarshal(raw, &s) == nil:
		return run.Input{Text: s}, nil
	}
	return run.Input{}, console.Usage("the input is neither a JSON object nor a string").Hinting(`for example --input '{"key": "value"}'`)
}

// Typed converts the input for a worker whose input is an object: a text that
// begins with { is parsed as JSON. It refuses any other text, with an example. It does
// not check the object against the schema.
func Typed(w *project.Worker, in *run.Input) error {
	if len(in.JSON) > 0 || w.Input == nil {
		return nil
	}
	var schema struct {
		Type       any                        `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if json.Unmarshal(w.Input, &schema) != nil || schema.Type != "object" {
		return nil
	}
	what := "the input is plain text"
	if text := strings.TrimSpace(in.Text); strings.HasPrefix(text, "{") {
		given, err := JSON(text)
		if err != nil {
			return err
		}
		*in = run.Input{JSON: given.JSON, Attachments: in.Attachments}
		return nil
	}
	if in.Text == "" {
		what = "no input was given"
	}
	names := schema.Required
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(schema.Properties))
	}
	var fields []string
	for _, name := range names[:min(len(names), 6)] {
		key, err := json.Marshal(name)
		if err != nil {
			continue
		}
		fields = append(fields, string(key)+": "+placeholder(schema.Properties[name]))
	}
	return fault.New(fault.ToolInput, "%s needs a JSON object as input, but %s", w.ID, what).Hinting("--input '{%s}'", strings.Join(fields, ", "))
}

// placeholder returns an example value of a schema's type.
func placeholder(schema json.RawMessage) string {
	var s struct{ Type any }
	if json.Unmarshal(schema, &s) == nil {
		switch s.Type {
		case "integer", "number":
			return "0"
		case "boolean":
			return "true"
		case "array":
			return "[]"
		case "object":
			return "{}"
		}
	}
	return `"…"`
}

// Stdin reads all of standard input as text.
func Stdin(c *console.Console) (string, error) {
	data, err := io.ReadAll(io.LimitReader(c.In, maxInput+1))
	if err != nil {
		return "", console.Usage("standard input cannot be read: %s", disk.Cause(err))
	}
	return asText("standard input", data)
}

// readInputFile reads the file of an INPUT of the form @FILE.
func readInputFile(c *console.Console, name string) (string, error) {
	data, err := c.ReadFile(name, maxInput)
	if errors.Is(err, disk.ErrTooLarge) {
		return "", run.TooLarge(name).Hinting("attach it with --attach")
	}
	if err != nil {
		return "", console.Usage("input file %s: %s", name, disk.Cause(err)).Hinting("to send a text that begins with @, use --input '\"@…\"'")
	}
	return asText(name, data)
}

// asText converts data to a message. The data must be UTF-8; a byte order mark, and the
// line break at the end, which editors and echo add, are removed.
func asText(name string, data []byte) (string, error) {
	if len(data) > maxInput {
		return "", run.TooLarge(name).Hinting("attach it with --attach")
	}
	if !utf8.Valid(data) {
		return "", console.Usage("%s is not UTF-8 text", name).Hinting("attach it with --attach")
	}
	text := strings.TrimSuffix(strings.TrimPrefix(string(data), "\uFEFF"), "\n")
	return strings.TrimSuffix(text, "\r"), nil
}

// Piped reports whether standard input should be read to its end: it is a pipe, a file
// or a socket, but not a terminal or /dev/null.
func Piped(c *console.Console) bool {
	info, err := c.In.Stat()
	return err == nil && info.Mode()&fs.ModeCharDevice == 0 && !info.IsDir()
}

// Attachments reads files to attach: regular files, anywhere on disk (SPEC §5). A resource of an
// MCP server is read later, when the message is sent. flag is the beginning of a message, such as "--attach ".
func Attachments(c *console.Console, flag string, names []string) ([]run.File, error) {
	var files []run.File
	for _, name := range names {
		if f, ok := run.Resource(name); ok {
			files = append(files, f)
			continue
		}
		data, err := c.ReadFile(name, maxAttach)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fault.New(fault.Attachment, "there is no file %s", name).Hinting("paths are relative to the current directory")
		}
		if err != nil {
			return nil, fault.New(fault.Attachment, "%s%s: %s", flag, name, disk.Cause(err)).Hinting("attach a regular file that you can read")
		}
		files = append(files, run.File{Name: filepath.Base(name), Data: data})
	}
	return files, nil
}
