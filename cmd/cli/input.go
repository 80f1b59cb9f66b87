package main

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/run"
	"golem/core/tool"
)

// What golem reads from outside at most, in bytes.
const (
	maxInput  = run.MaxInput
	maxAttach = 64 << 20
	maxScript = 16 << 20
)

// givenInput is INPUT as the command line has it. none says that there was
// nothing, so that standard input may be asked.
func (h *host) givenInput(f *flags, words []string) (in run.Input, none bool, err error) {
	if f.given("input") {
		if len(words) > 0 {
			return in, false, usage("the input is given twice: as words and with --input").Hinting("use one of them")
		}
		in, err = jsonInput(f.input)
		return in, false, err
	}
	switch {
	case len(words) == 0:
		return in, true, nil
	case len(words) == 1 && words[0] == "-":
		in.Text, err = h.stdin()
		return in, false, err
	case len(words) == 1 && len(words[0]) > 1 && words[0][0] == '@':
		in.Text, err = h.inputFile(words[0][1:])
		return in, false, err
	}
	in.Text = strings.Join(words, " ")
	if !utf8.ValidString(in.Text) {
		return in, false, usage("INPUT is not valid UTF-8 text")
	}
	return in, false, nil
}

// jsonInput reads --input: an object, or a string, which is the same as words (S1-61).
func jsonInput(text string) (run.Input, error) {
	if strings.TrimSpace(text) == "" {
		return run.Input{}, usage("--input is empty").Hinting(`for example --input '{"key": "value"}'; --input '{}' is an object with nothing in it`)
	}
	raw, err := tool.Decode([]byte(text))
	if err != nil {
		if why := errors.Unwrap(err); why != nil { // without the words of a tool's call
			err = why
		}
		return run.Input{}, usage("the input is not valid JSON: %s", fault.Of(err, fault.Usage).Message).Hinting(`for example --input '{"key": "value"}'`)
	}
	var s string
	switch {
	case len(raw) > 0 && raw[0] == '{':
		return run.Input{JSON: raw}, nil
	case json.Unmarshal(raw, &s) == nil:
		return run.Input{Text: s}, nil
	}
	return run.Input{}, usage("the input is neither a JSON object nor a string").Hinting(`for example --input '{"key": "value"}'`)
}

// typedInput makes a text that is JSON the input of a worker whose input is an
// object: words, a file or standard input. Any other text is refused, with an
// example. The schema judges an object itself.
func typedInput(w *project.Worker, in *run.Input) error {
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
		given, err := jsonInput(text)
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

// placeholder is a value of a schema's type, for an example.
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

// stdin reads all of standard input as text.
func (h *host) stdin() (string, error) {
	data, err := io.ReadAll(io.LimitReader(h.in, maxInput+1))
	if err != nil {
		return "", usage("standard input cannot be read: %s", cause(err))
	}
	return asText("standard input", data)
}

// inputFile reads @FILE.
func (h *host) inputFile(name string) (string, error) {
	data, err := h.readFile(name, maxInput)
	if errors.Is(err, errTooLarge) {
		return "", run.TooLarge(name).Hinting("attach it with --attach")
	}
	if err != nil {
		return "", usage("input file %s: %s", name, cause(err)).Hinting("to send a text that begins with @, use --input '\"@…\"'")
	}
	return asText(name, data)
}

// asText is data as a message: UTF-8, without the line end that editors and
// echo put after the last line.
func asText(name string, data []byte) (string, error) {
	if len(data) > maxInput {
		return "", run.TooLarge(name).Hinting("attach it with --attach")
	}
	if !utf8.Valid(data) {
		return "", usage("%s is not UTF-8 text", name).Hinting("attach it with --attach")
	}
	text := strings.TrimSuffix(string(data), "\n")
	return strings.TrimSuffix(text, "\r"), nil
}

// piped says whether standard input is something to read to its end: a pipe,
// a file or a socket, but no terminal and no /dev/null.
func (h *host) piped() bool {
	info, err := h.in.Stat()
	return err == nil && info.Mode()&fs.ModeCharDevice == 0 && !info.IsDir()
}

// attachments reads --attach: regular files, anywhere on disk (SPEC §5). A resource of an
// MCP server is read when the message is sent.
func (h *host) attachments(names []string) ([]run.File, error) {
	var files []run.File
	for _, name := range names {
		if f, ok := run.Resource(name); ok {
			files = append(files, f)
			continue
		}
		data, err := h.readFile(name, maxAttach)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fault.New(fault.Attachment, "there is no file %s", name).Hinting("paths are relative to the current directory")
		}
		if err != nil {
			return nil, fault.New(fault.Attachment, "--attach %s: %s", name, cause(err)).Hinting("attach a regular file that you can read")
		}
		files = append(files, run.File{Name: filepath.Base(name), Data: data})
	}
	return files, nil
}

// errTooLarge is a file that is larger than was asked for.
var errTooLarge = errors.New("too large")

// readFile reads a regular file, never waiting for a FIFO or a device.
func (h *host) readFile(name string, limit int64) ([]byte, error) {
	info, err := os.Stat(h.path(name))
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	if info.Size() > limit {
		return nil, errTooLarge
	}
	file, err := os.OpenFile(h.path(name), os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = errTooLarge
	}
	return data, err
}

// cause is an error without the path that os puts before it.
func cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
