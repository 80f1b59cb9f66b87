package model

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sashabaranov/go-openai"

	"golem/core/fault"
	"golem/core/tool"
)

// payload is one request: in go-openai's terms, without its messages and tools,
// which are encoded already.
type payload struct {
	request  openai.ChatCompletionRequest
	messages []json.RawMessage
	tools    json.RawMessage
	settings Settings
	row      Provider
}

// check refuses, before any request, what a person or caller attached and the
// provider cannot take. Of a tool's result it is told in words, see resultText.
func (m *remote) check(r Request) error {
	for _, msg := range r.Messages {
		if msg.Role == ToolRole {
			continue
		}
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
func (m *remote) payload(r Request) (payload, error) {
	p := payload{request: openai.ChatCompletionRequest{Model: m.model}, settings: r.Settings, row: m.end.row}
	row := m.end.row
	if !row.Quirks.NoUsage {
		p.request.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	if len(r.Tools) > 0 {
		p.request.Tools = []openai.Tool{{Type: "golem"}} // noTools
	}
	messages := r.Messages
	if r.OutputSchema != nil {
		messages = p.output(r, row)
	}
	h := m.past.take(r.Conversation)
	defer m.past.put(r.Conversation, h)
	var err error
	if p.messages, err = h.encode(messages, row); err == nil && len(r.Tools) > 0 {
		p.tools, err = h.tools.encode(r.Tools, openaiTool)
	}
	return p, err
}

// openaiTool is a tool as go-openai has it.
func openaiTool(s tool.Spec) any {
	return openai.Tool{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
		Name: s.Name, Description: s.Description, Parameters: parameters(s),
	}}
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

// encode is one message as the protocol has it. Providers refuse empty
// content, names outside their alphabet and arguments that are no object in the
// history, so each is replaced by something that says the same.
func encode(msg Message, row Provider) (json.RawMessage, error) {
	out := openai.ChatCompletionMessage{Role: string(msg.Role), Content: msg.Text}
	switch {
	case msg.Role == ToolRole:
		out.ToolCallID = msg.CallID
		out.Content = resultText(msg, row)
	case msg.Role == Assistant:
		for _, c := range msg.Calls {
			out.ToolCalls = append(out.ToolCalls, openai.ToolCall{
				ID: c.ID, Type: openai.ToolTypeFunction,
				Function: openai.FunctionCall{Name: callName(c.Name), Arguments: callArgs(c.Args)},
			})
		}
		if msg.Text == "" && len(msg.Calls) == 0 {
			out.Content = "(empty)"
		}
	case len(msg.Parts) > 0:
		return withParts(msg.Text, msg.Parts)
	case msg.Text == "":
		out.Content = "(empty)"
	}
	data, err := json.Marshal(out)
	if kept := msg.Kept.to(row.Name); err == nil && kept != nil {
		return kept.put(data, row.Quirks.Carry)
	}
	return data, err
}

// takes says whether the provider takes a part.
func (p Provider) takes(part Part) bool {
	switch part.Kind {
	case "text":
		return true
	case "image":
		return p.Image
	case "pdf":
		return p.PDF
	}
	return false
}

// resultText is a tool's result as text: its own, and a line for each part. A
// part that the provider does not take is named, so that the model knows of it.
func resultText(msg Message, row Provider) string {
	lines := []string{}
	if msg.Text != "" {
		lines = append(lines, msg.Text)
	}
	for _, p := range msg.Parts {
		what := fmt.Sprintf("%s, %d bytes", p.MIME, len(p.Data))
		if p.Name != "" {
			what = p.Name + ": " + what
		}
		switch {
		case row.takes(p):
			lines = append(lines, "["+what+"; it follows below]")
		case p.Kind == "image" || p.Kind == "pdf":
			lines = append(lines, "["+what+"; you cannot see it: "+row.Name+" takes no "+kindWord(p.Kind)+"]")
		default:
			lines = append(lines, "["+what+"; you cannot see it: no model takes this type]")
		}
	}
	if len(lines) == 0 {
		return "(no output)"
	}
	return strings.Join(lines, "\n")
}

// resultFiles is a user message with the parts of the tool results that end
// messages, as far as the provider takes them: the protocol has no room for them
// in a tool's own. Without parts it is nothing.
func resultFiles(messages []Message, row Provider) (json.RawMessage, error) {
	from := len(messages)
	for from > 0 && messages[from-1].Role == ToolRole {
		from--
	}
	var parts []Part
	for _, m := range messages[from:] {
		for _, part := range m.Parts {
			if row.takes(part) {
				parts = append(parts, part)
			}
		}
	}
	if len(parts) == 0 {
		return nil, nil
	}
	return withParts("Files from the results above:", parts)
}

// withParts is a user message of text and parts. go-openai's types cannot say
// a file, so the message is written here.
func withParts(text string, parts []Part) (json.RawMessage, error) {
	content := []any{}
	if text != "" {
		content = append(content, openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: text})
	}
	for _, part := range parts {
		switch part.Kind {
		case "image":
			content = append(content, openai.ChatMessagePart{
				Type: openai.ChatMessagePartTypeImageURL, ImageURL: &openai.ChatMessageImageURL{URL: dataURL(part, "image/png")},
			})
		case "pdf":
			content = append(content, map[string]any{"type": "file", "file": map[string]string{
				"filename": part.Name, "file_data": dataURL(part, "application/pdf"),
			}})
		default:
			content = append(content, openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: attachment(part)})
		}
	}
	return json.Marshal(struct {
		Role    Role  `json:"role"`
		Content []any `json:"content"`
	}{User, content})
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
// has one for it, and in words where that does not carry the whole schema. It
// returns the messages with those words.
func (p *payload) output(r Request, row Provider) []Message {
	schema, mode := r.OutputSchema, row.JSON
	var top struct{ Type any }
	if json.Unmarshal(schema, &top) != nil || top.Type != "object" || (row.Quirks.JSONAlone && len(p.request.Tools) > 0) {
		mode = JSONNone // formats are for objects only
	}
	switch mode {
	case JSONSchema:
		p.request.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: "output", Schema: schema},
		}
		return r.Messages
	case JSONObject:
		p.request.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
	}
	words := "Give your final answer as one JSON value that is valid under this JSON Schema, without any other text:\n" + string(schema)
	for i, msg := range r.Messages {
		if msg.Role == System {
			out := slices.Clone(r.Messages)
			out[i].Text = strings.TrimRight(msg.Text, "\n") + "\n\n" + words
			return out
		}
	}
	return append([]Message{{Role: System, Text: words}}, r.Messages...)
}
