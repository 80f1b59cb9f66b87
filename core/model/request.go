package model

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sashabaranov/go-openai"

	"golem/core/fault"
	"golem/core/tool"
)

// payload is one request in go-openai's terms, and what its types cannot say.
type payload struct {
	request openai.ChatCompletionRequest
	patches []patch
}

// patch is a change to message At of the encoded request.
type patch struct {
	at    int
	parts []any    // the whole content; nil leaves it
	extra []string // what goes back with each call, by its index; nil leaves them
}

// check refuses, before any request, parts that the provider cannot take.
func (m *remote) check(r Request) error {
	for _, msg := range r.Messages {
		for _, p := range msg.Parts {
			var column func(Provider) bool
			switch p.Kind {
			case "text":
				continue
			case "image":
				column = func(p Provider) bool { return p.Image }
			case "pdf":
				column = func(p Provider) bool { return p.PDF }
			default:
				return fault.New(fault.Attachment, "%s: no model takes a %q part", p.Name, p.Kind).
					Hinting("attach text, an image or a PDF")
			}
			if !column(m.end.row) {
				return fault.New(fault.Attachment, "%s takes no %s: %s", m.end.row.Name, kindWord(p.Kind), p.Name).
					Hinting("providers that do: %s", m.config.able(column))
			}
		}
	}
	return nil
}

func kindWord(kind string) string {
	if kind == "pdf" {
		return "PDF files"
	}
	return "images"
}

// payload translates a request.
func (m *remote) payload(r Request) payload {
	p := payload{request: openai.ChatCompletionRequest{Model: m.model}}
	if !m.end.row.noUsage {
		p.request.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	for _, s := range r.Tools {
		p.request.Tools = append(p.request.Tools, openai.Tool{
			Type: openai.ToolTypeFunction,
			Function: &openai.FunctionDefinition{
				Name: s.Name, Description: s.Description, Parameters: parameters(s),
			},
		})
	}
	for i, msg := range r.Messages {
		p.message(msg, m.end.row)
		if msg.Role == ToolRole && (i+1 == len(r.Messages) || r.Messages[i+1].Role != ToolRole) {
			p.carry(r.Messages[:i+1])
		}
	}
	if r.OutputSchema != nil {
		p.output(r.OutputSchema, m.end.row)
	}
	return p
}

// parameters is a tool's input schema in the form every provider takes: an
// object with properties, without $schema.
func parameters(s tool.Spec) json.RawMessage {
	var schema map[string]json.RawMessage
	if json.Unmarshal(s.Input, &schema) != nil || schema == nil {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	_, dialect := schema["$schema"]
	_, properties := schema["properties"]
	if !dialect && properties {
		return s.Input
	}
	delete(schema, "$schema")
	if !properties {
		schema["properties"] = json.RawMessage(`{}`)
	}
	if _, typed := schema["type"]; !typed {
		schema["type"] = json.RawMessage(`"object"`)
	}
	out, err := json.Marshal(schema)
	if err != nil {
		return s.Input
	}
	return out
}

// message appends one message. Providers refuse empty content, names outside
// their alphabet and arguments that are no object in the history, so each is
// replaced by something that says the same.
func (p *payload) message(msg Message, row Provider) {
	out := openai.ChatCompletionMessage{Role: string(msg.Role), Content: msg.Text}
	switch {
	case msg.Role == ToolRole:
		out.ToolCallID = msg.CallID
		if msg.Text == "" {
			out.Content = "(no output)"
		}
	case msg.Role == Assistant:
		var extra []string
		for _, c := range msg.Calls {
			out.ToolCalls = append(out.ToolCalls, openai.ToolCall{
				ID: c.ID, Type: openai.ToolTypeFunction,
				Function: openai.FunctionCall{Name: callName(c.Name), Arguments: callArgs(c.Args)},
			})
			own, reasoning := splitExtra(c.Extra)
			extra = append(extra, own)
			if row.reasoning && reasoning != "" {
				out.ReasoningContent = reasoning
			}
		}
		if strings.Join(extra, "") != "" {
			p.patches = append(p.patches, patch{at: len(p.request.Messages), extra: extra})
		}
		if msg.Text == "" && len(msg.Calls) == 0 {
			out.Content = "(empty)"
		}
	case len(msg.Parts) > 0:
		p.content(&out, msg.Text, msg.Parts)
	case msg.Text == "":
		out.Content = "(empty)"
	}
	p.request.Messages = append(p.request.Messages, out)
}

// carry appends the parts of the tool results that end messages as a user
// message: the protocol has no room for them in a tool's own.
func (p *payload) carry(messages []Message) {
	from := len(messages)
	for from > 0 && messages[from-1].Role == ToolRole {
		from--
	}
	var parts []Part
	for _, m := range messages[from:] {
		parts = append(parts, m.Parts...)
	}
	if len(parts) == 0 {
		return
	}
	out := openai.ChatCompletionMessage{Role: string(User)}
	p.content(&out, "Files from the results above:", parts)
	p.request.Messages = append(p.request.Messages, out)
}

// content sets text and parts; a PDF, which go-openai's types cannot say, makes a patch.
func (p *payload) content(out *openai.ChatCompletionMessage, text string, parts []Part) {
	out.Content = ""
	wire := []any{}
	add := func(part openai.ChatMessagePart) {
		out.MultiContent = append(out.MultiContent, part)
		wire = append(wire, part)
	}
	if text != "" {
		add(openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: text})
	}
	pdf := false
	for _, part := range parts {
		switch part.Kind {
		case "image":
			add(openai.ChatMessagePart{
				Type: openai.ChatMessagePartTypeImageURL, ImageURL: &openai.ChatMessageImageURL{URL: dataURL(part, "image/png")},
			})
		case "pdf":
			pdf = true
			wire = append(wire, map[string]any{"type": "file", "file": map[string]string{
				"filename": part.Name, "file_data": dataURL(part, "application/pdf"),
			}})
		default:
			add(openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: attachment(part)})
		}
	}
	if pdf {
		out.MultiContent = nil
		out.Content = "-" // replaced by the patch
		p.patches = append(p.patches, patch{at: len(p.request.Messages), parts: wire})
	}
}

func dataURL(p Part, mime string) string {
	if p.MIME != "" {
		mime = p.MIME
	}
	return "data:" + mime + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
}

// attachment is a part as text: a text file whole, anything else by its name.
func attachment(p Part) string {
	if p.Kind != "text" {
		return fmt.Sprintf("<attachment name=%q type=%q/>", p.Name, p.MIME)
	}
	return fmt.Sprintf("<attachment name=%q>\n%s\n</attachment>", p.Name, bytes.ToValidUTF8(p.Data, []byte("\uFFFD")))
}

// output asks for the declared output: by response format where the provider
// has one for it, and in words where that does not carry the whole schema.
func (p *payload) output(schema json.RawMessage, row Provider) {
	mode := row.JSON
	var top struct{ Type any }
	if json.Unmarshal(schema, &top) != nil || top.Type != "object" || (row.jsonAlone && len(p.request.Tools) > 0) {
		mode = JSONNone // formats are for objects only
	}
	switch mode {
	case JSONSchema:
		p.request.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: "output", Schema: schema},
		}
		return
	case JSONObject:
		p.request.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
	}
	words := "Give your final answer as one JSON value that is valid under this JSON Schema, without any other text:\n" + string(schema)
	for i, msg := range p.request.Messages {
		if msg.Role == string(System) {
			p.request.Messages[i].Content = strings.TrimRight(msg.Content, "\n") + "\n\n" + words
			return
		}
	}
	p.request.Messages = append([]openai.ChatCompletionMessage{{Role: string(System), Content: words}}, p.request.Messages...)
	for i := range p.patches {
		p.patches[i].at++
	}
}
