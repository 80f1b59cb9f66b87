package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	"golem/core/fault"
	"golem/core/tool"
)

// content is one block of a result.
type content struct {
	Type     string   `json:"type"` // text, image, audio, resource, resource_link
	Text     string   `json:"text"`
	Data     []byte   `json:"data"` // base64
	MIME     string   `json:"mimeType"`
	Name     string   `json:"name"`
	URI      string   `json:"uri"`
	Resource contents `json:"resource"`
}

// contents has the content of a resource: a text or bytes.
type contents struct {
	URI  string  `json:"uri"`
	MIME string  `json:"mimeType"`
	Text *string `json:"text"`
	Blob []byte  `json:"blob"` // base64
}

// result reads the result of a call.
func (c Client) result(name string, raw json.RawMessage) (tool.Output, error) {
	var in struct {
		Content    []content       `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
	}
	if json.Unmarshal(raw, &in) != nil {
		return untrusted, c.malformed()
	}
	var b builder
	for _, one := range in.Content {
		b.add(one)
	}
	if in.IsError {
		text := Plain(b.all.String(), maxError)
		if text == "" {
			text = "it gave no reason"
		}
		return untrusted, fault.New(fault.Tool, "%s of the MCP server %s failed: %s", name, c.Name, text)
	}
	out, err := b.output(c.Name)
	if err != nil || len(in.Structured) == 0 || string(in.Structured) == "null" {
		return out, err
	}
	data, err := tool.Canonical(in.Structured)
	if err == nil {
		data = plainJSON(data, unseen)
	}
	if err != nil || len(data) > maxResult {
		return untrusted, fault.New(fault.ToolOutput, "%s of the MCP server %s returned structured content that cannot be read", name, c.Name)
	}
	out.Kind, out.Data = "json", data
	return out, nil
}

// builder collects blocks into an output.
type builder struct {
	all   strings.Builder
	parts []tool.Part
	over  bool // a limit was reached
}

func (b *builder) add(c content) {
	switch c.Type {
	case "text":
		b.text(c.Text)
	case "image", "audio":
		b.part(tool.Part{Type: map[string]string{"image": "image", "audio": "resource"}[c.Type], MIME: Plain(c.MIME, 100), Data: c.Data})
	case "resource":
		b.resource(c.Resource)
	case "resource_link":
		b.text(fmt.Sprintf("[resource %s %s]", Plain(c.Name, 200), Plain(c.URI, 2<<10)))
	default:
		b.text(fmt.Sprintf("[content of the type %s, which golem does not know]", fault.Quoted(c.Type)))
	}
}

func (b *builder) resource(r contents) {
	if r.Text != nil {
		b.text(*r.Text)
		return
	}
	name := r.URI[strings.LastIndexByte(r.URI, '/')+1:]
	b.part(tool.Part{Type: "resource", MIME: Plain(r.MIME, 100), Name: Plain(name, 100), Data: r.Blob})
}

// text adds a text with visible escapes for its invisible characters.
func (b *builder) text(s string) {
	if b.all.Len() > 0 {
		b.all.WriteByte('\n')
	}
	if len(s) <= maxResult {
		s = visible(s)
	}
	if b.all.Len()+len(s) > maxResult {
		b.over = true
		return
	}
	b.all.WriteString(s)
}

func (b *builder) part(p tool.Part) {
	if len(b.parts) >= maxParts {
		b.over = true
		return
	}
	b.parts = append(b.parts, p)
}

func (b *builder) output(server string) (tool.Output, error) {
	if b.over {
		return untrusted, fault.New(fault.Limit, "the MCP server %s returned more than %d bytes of text or %d files", server, maxResult, maxParts).
			Hinting("ask it for less at once")
	}
	return tool.Output{Text: b.all.String(), Parts: b.parts, Untrusted: true}, nil
}
