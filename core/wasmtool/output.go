package wasmtool

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"golem/core/fault"
	"golem/core/tool"
)

// Limits of a module's answer, in addition to the size of its output.
const (
	maxContent = 1_000 // items
	maxMessage = 4_096 // bytes of an error text
	maxURI     = 2_048 // bytes of a resource's name
)

// answer converts what a module returned into a tool's output. structured means
// that the tool declares an output schema; then a text that is JSON becomes
// data.
func answer(s shape, name string, out []byte, structured bool) (tool.Output, error) {
	var o tool.Output
	switch s {
	case command:
		text := strings.TrimSuffix(strings.ToValidUTF8(string(out), "\uFFFD"), "\n")
		o.Text = strings.TrimSuffix(text, "\r")
	case plain:
		o.Text = strings.ToValidUTF8(string(out), "\uFFFD")
	default:
		var err error
		if o, err = content(name, out); err != nil || o.Data != nil {
			return o, err
		}
	}
	if !structured {
		return o, nil
	}
	if data, ok := strictJSON([]byte(o.Text)); ok {
		o.Kind, o.Data = "json", data
	}
	return o, nil
}

// strictJSON returns a JSON value without white space, if it is unambiguous:
// UTF-8 and no duplicate keys.
func strictJSON(raw []byte) (json.RawMessage, bool) {
	var small bytes.Buffer
	if _, err := tool.Canonical(raw); err != nil || json.Compact(&small, raw) != nil {
		return nil, false
	}
	return small.Bytes(), true
}

// content parses the answer of a module of the first two forms: the result of a tool
// call as MCP defines it.
func content(name string, out []byte) (tool.Output, error) {
	fields, err := object(out, len(out))
	if err != nil {
		return tool.Output{}, fault.New(fault.ToolOutput, "the result of %s does not have the form that golem expects: %s", name, err).
			Hinting(`the error is in the module: it must return {"content":[{"type":"text","text":…}]}`)
	}
	var o tool.Output
	var failed bool
	if raw := fields["isError"]; raw != nil && json.Unmarshal(raw, &failed) != nil {
		return o, wrongForm(name, "its isError is neither true nor false")
	}
	data := fields["structuredContent"]
	if string(data) == "null" {
		data = nil
	}
	var items []json.RawMessage
	switch raw := fields["content"]; {
	case raw == nil && (failed || data != nil):
	case !jsonList(raw) || json.Unmarshal(raw, &items) != nil:
		return o, wrongForm(name, "it has no list named content")
	case len(items) > maxContent:
		return o, wrongForm(name, "it has more than %d parts of content", maxContent)
	}
	var texts []string
	for _, raw := range items {
		var item item
		if !jsonObject(raw) || json.Unmarshal(raw, &item) != nil {
			return o, wrongForm(name, "a part of its content does not have the form that MCP defines")
		}
		if err := item.put(name, &o, &texts); err != nil {
			return tool.Output{}, err
		}
	}
	o.Text = strings.Join(texts, "\n")
	if failed {
		message := o.Text
		if strings.TrimSpace(message) == "" {
			message = string(data)
		}
		if message == "" {
			message = "it failed without a message"
		}
		return tool.Output{}, fault.New(fault.Tool, "%s", Escape([]byte(message), maxMessage))
	}
	if data != nil {
		if o.Data, _ = strictJSON(data); o.Data == nil {
			return tool.Output{}, wrongForm(name, "its structuredContent is not JSON")
		}
		o.Kind = "json"
	}
	return o, nil
}

// wrongForm returns the error for a result that does not have the right form.
func wrongForm(name, format string, args ...any) error {
	return fault.New(fault.ToolOutput, "%s returned "+format, append([]any{name}, args...)...).
		Hinting("the error is in the module, not in the arguments; go on without its result")
}

// An item is one part of MCP content.
type item struct {
	Type     string    `json:"type"`
	Text     *string   `json:"text"`
	Data     string    `json:"data"` // base64
	MIME     string    `json:"mimeType"`
	Resource *resource `json:"resource"`
	URI      string    `json:"uri"` // of a resource_link
	Name     string    `json:"name"`
}

type resource struct {
	URI  string  `json:"uri"`
	MIME string  `json:"mimeType"`
	Text *string `json:"text"`
	Blob string  `json:"blob"` // base64
}

// put adds the item to the texts, or as a part to the output if it consists of bytes.
func (c item) put(name string, o *tool.Output, texts *[]string) error {
	switch c.Type {
	case "text":
		if c.Text == nil {
			return wrongForm(name, "a part of type text has no text")
		}
		*texts = append(*texts, *c.Text)
		return nil
	case "image", "audio":
		return bytesPart(name, o, c.Type, c.MIME, "", c.Data)
	case "resource_link":
		*texts = append(*texts, strings.TrimSpace(Escape([]byte(c.Name), maxURI)+" "+Escape([]byte(c.URI), maxURI)))
		return nil
	case "resource":
		r := c.Resource
		if r == nil { // plug-ins of the first form have the content beside its type
			r = &resource{URI: c.URI, MIME: c.MIME, Text: c.Text, Blob: c.Data}
		}
		switch {
		case r.Text != nil:
			*texts = append(*texts, *r.Text)
			return nil
		default:
			return bytesPart(name, o, "resource", r.MIME, r.URI, r.Blob)
		}
	}
	return wrongForm(name, "a part has the type %q; text, image, audio, resource and resource_link are allowed", Escape([]byte(c.Type), 40))
}

var mimeType = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}$`)
})

// bytesPart adds a part that consists of bytes. Its MIME type must be valid,
// because it is sent in requests to models.
func bytesPart(name string, o *tool.Output, what, mime, uri, data string) error {
	mime, _, _ = strings.Cut(mime, ";") // parameters mean nothing to a model
	switch {
	case mime == "" && what == "resource":
		mime = "application/octet-stream"
	case !mimeType().MatchString(mime), what != "resource" && !strings.HasPrefix(strings.ToLower(mime), what+"/"):
		return wrongForm(name, "a part of type %s has the MIME type %q, which is not valid", what, Escape([]byte(mime), 80))
	}
	b, err := base64.StdEncoding.DecodeString(data)
	if err != nil || len(b) == 0 {
		return wrongForm(name, "a part of type %s is empty or not base64", what)
	}
	part := tool.Part{Type: what, MIME: strings.ToLower(mime), Name: Escape([]byte(uri), maxURI), Data: b}
	if what == "audio" {
		part.Type = "resource"
	}
	o.Parts = append(o.Parts, part)
	return nil
}
