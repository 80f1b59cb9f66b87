package model

import (
	"encoding/json"
	"errors"

	"github.com/sashabaranov/go-openai"

	"golem/core/tool"
)

// chatAPI is OpenAI's chat completions, through go-openai.
type chatAPI struct{}

var _ api = chatAPI{}

// names returns the protocol's names; Quirks.Settings of a row says where a provider
// has others.
func (chatAPI) names() map[string]string {
	return map[string]string{
		"temperature": "temperature", "top_p": "top_p", "max_output_tokens": "max_tokens", "reasoning_effort": "reasoning_effort",
		"seed": "seed", "stop": "stop", "parallel_tool_calls": "parallel_tool_calls", "service_tier": "service_tier", "verbosity": "verbosity",
	}
}

func (a chatAPI) set(body fields, setting string, value json.RawMessage, p Provider, _ string) error {
	return body.set(p.nameOf(setting, a), value)
}

func (chatAPI) payload(m *remote, r Request) (payload, error) {
	row := m.end.row
	head := openai.ChatCompletionRequest{Model: m.model}
	if !row.Quirks.NoUsage && !row.Quirks.NoStream {
		head.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	if len(r.Tools) > 0 {
		head.Tools = []openai.Tool{{Type: "golem"}} // noTools
	}
	messages := r.Messages
	if r.OutputSchema != nil {
		switch row.outputMode(r.OutputSchema, len(r.Tools) > 0) {
		case JSONSchema:
			head.ResponseFormat = &openai.ChatCompletionResponseFormat{
				Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
				JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
					Name: "output", Schema: r.OutputSchema, Strict: strict(r.OutputSchema),
				},
			}
		case JSONObject:
			head.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
			messages = inWords(messages, r.OutputSchema)
		default:
			messages = inWords(messages, r.OutputSchema)
		}
	}
	p := payload{head: head, place: noMessages, settings: r.Settings}
	return p, m.past.encode(&p, r, messages, chatEncoder{row}, listed)
}

// send sends the request. go-openai refuses some models that cannot use tools while
// they reason: these are asked not to reason, unless the settings have
// reasoning_effort.
func (chatAPI) send(m *remote, g *guard, p payload) (incoming, error) {
	head, ok := p.head.(openai.ChatCompletionRequest)
	if !ok {
		return nil, errors.New("this is not a chat completion request")
	}
	client := m.client(g, p)
	s, err := client.CreateChatCompletionStream(g.ctx, head)
	if _, wanted := p.settings["reasoning_effort"]; errors.Is(err, openai.ErrReasoningToolsRequireResponses) && !wanted {
		head.ReasoningEffort = openai.ReasoningEffortNone
		s, err = client.CreateChatCompletionStream(g.ctx, head)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (chatAPI) decoder(a *answer) decoder { return a }

// chatEncoder writes messages as chat completions have them.
type chatEncoder struct{ row Provider }

// message encodes one message. Providers refuse a history with empty content, with
// names outside their alphabet, or with arguments that are not an object, so message
// replaces each of these with something that says the same.
func (e chatEncoder) message(msg Message) (json.RawMessage, error) {
	out := openai.ChatCompletionMessage{Role: string(msg.Role), Content: msg.Text}
	switch {
	case msg.Role == ToolRole:
		out.ToolCallID = msg.CallID
		out.Content = resultText(msg, e.row)
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
		return e.withParts(msg.Text, msg.Parts)
	case msg.Text == "":
		out.Content = "(empty)"
	}
	data, err := json.Marshal(out)
	if kept := msg.Kept.keptFor(e.row.Name); err == nil && kept != nil {
		data, err = kept.put(data, e.row.Quirks.Carry)
	}
	if err == nil && len(msg.Calls) > 0 && len(e.row.Quirks.Fill) > 0 {
		return filled(data, e.row.Quirks.Fill)
	}
	return data, err
}

// bridge returns an assistant's message for providers that refuse a user's message
// directly after a tool's result.
func (e chatEncoder) bridge() json.RawMessage {
	if !e.row.Quirks.NoUserAfterTool {
		return nil
	}
	return json.RawMessage(`{"role":"assistant","content":"I have the results."}`)
}

// files returns a user message with the parts, because a tool's result cannot contain them.
func (e chatEncoder) files(parts []Part) (json.RawMessage, error) {
	if parts = e.row.taken(parts); len(parts) == 0 {
		return nil, nil
	}
	return e.withParts(filesAbove, parts)
}

// withParts returns a user message of text and parts. go-openai's types have no file
// part, so the message is encoded here.
func (chatEncoder) withParts(text string, parts []Part) (json.RawMessage, error) {
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
	return json.Marshal(map[string]any{"role": User, "content": content})
}

func (e chatEncoder) tool(s tool.Spec) any {
	return openai.Tool{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
		Name: s.Name, Description: s.Description, Parameters: e.row.parameters(s),
	}}
}
