package model

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/sashabaranov/go-openai"

	"golem/core/tool"
)

// responsesAPI is OpenAI's Responses: requests through go-openai's types, the
// answer in golem's own, which lose nothing. Nothing is stored with OpenAI;
// what the model reasoned comes back encrypted and goes along with the history.
type responsesAPI struct{}

var _ api = responsesAPI{}

func (responsesAPI) names() map[string]string {
	return map[string]string{
		"temperature": "temperature", "top_p": "top_p", "max_output_tokens": "max_output_tokens", "reasoning_effort": "reasoning.effort",
		"parallel_tool_calls": "parallel_tool_calls", "service_tier": "service_tier", "verbosity": "text.verbosity",
	}
}

func (a responsesAPI) set(body fields, setting string, value json.RawMessage, p Provider, _ string) error {
	return body.set(p.nameOf(setting, a), value)
}

func (responsesAPI) payload(m *remote, r Request) (payload, error) {
	store := false
	head := openai.CreateResponseRequest{Model: m.model, Store: &store}
	if reasons(m.model) {
		head.Include = []openai.ResponseInclude{openai.ResponseIncludeReasoningEncryptedContent}
	}
	p := payload{place: noInput, members: fields{}, settings: r.Settings}
	messages := r.Messages
	if r.OutputSchema != nil {
		format := map[string]any{"type": "json_object"}
		switch m.end.row.outputMode(r.OutputSchema, false) {
		case JSONSchema:
			format = map[string]any{"type": "json_schema", "name": "output", "schema": r.OutputSchema, "strict": strict(r.OutputSchema)}
		case JSONObject:
			messages = inWords(messages, r.OutputSchema)
		default:
			messages, format = inWords(messages, r.OutputSchema), nil
		}
		if format != nil {
			data, err := json.Marshal(map[string]any{"format": format})
			if err != nil {
				return p, err
			}
			p.members["text"] = data // settle may add verbosity to it
		}
	}
	p.head = head
	return p, m.past.encode(&p, r, messages, responsesEncoder{m.end.row, reasons(m.model)}, listed)
}

// reasons reports whether a model may reason. Models that are known not to reason
// refuse to give their reasoning.
func reasons(model string) bool {
	model = strings.TrimPrefix(model, "ft:")
	for _, begin := range []string{"gpt-3", "gpt-4", "chatgpt-"} {
		if strings.HasPrefix(model, begin) {
			return false
		}
	}
	return !strings.Contains(model, "-chat")
}

func (responsesAPI) send(m *remote, g *guard, p payload) (incoming, error) {
	head, ok := p.head.(openai.CreateResponseRequest)
	if !ok {
		return nil, errors.New("this is not a Responses request")
	}
	s, err := m.client(g, p).CreateResponseStream(g.ctx, head)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (responsesAPI) decoder(a *answer) decoder { return &responsesAnswer{answer: a} }

// responsesEncoder writes messages as items of Responses' input.
type responsesEncoder struct {
	row     Provider
	reasons bool // the model takes reasoning of earlier answers
}

// message encodes one message. An assistant's message becomes its text, its calls, and
// what the provider sent with them, in the provider's order.
func (e responsesEncoder) message(msg Message) (json.RawMessage, error) {
	switch msg.Role {
	case ToolRole:
		return json.Marshal(item{"type": "function_call_output", "call_id": msg.CallID, "output": resultText(msg, e.row)})
	case Assistant:
		return e.assistant(msg)
	case User:
		return e.user(msg.Text, msg.Parts)
	}
	return json.Marshal(item{"type": "message", "role": msg.Role, "content": visible(msg.Text)})
}

func (e responsesEncoder) assistant(msg Message) (json.RawMessage, error) {
	if !e.reasons {
		msg.Kept = nil
	}
	return msg.inOrder(e.row.Name, func(text string) any {
		return item{"type": "message", "role": Assistant, "content": []item{{"type": "output_text", "text": text}}}
	}, func(c Call) any {
		return item{"type": "function_call", "call_id": c.ID, "name": callName(c.Name), "arguments": callArgs(c.Args)}
	})
}

func (e responsesEncoder) user(text string, parts []Part) (json.RawMessage, error) {
	if len(parts) == 0 {
		return json.Marshal(item{"type": "message", "role": User, "content": visible(text)})
	}
	var content []item
	if text != "" {
		content = append(content, item{"type": "input_text", "text": text})
	}
	for _, part := range parts {
		switch part.Kind {
		case "image":
			content = append(content, item{"type": "input_image", "image_url": dataURL(part, "image/png")})
		case "pdf":
			content = append(content, item{"type": "input_file", "filename": part.Name, "file_data": dataURL(part, "application/pdf")})
		default:
			content = append(content, item{"type": "input_text", "text": attachment(part)})
		}
	}
	return json.Marshal(item{"type": "message", "role": User, "content": content})
}

func (responsesEncoder) bridge() json.RawMessage { return nil }

// files returns a user message with the parts.
func (e responsesEncoder) files(parts []Part) (json.RawMessage, error) {
	if parts = e.row.taken(parts); len(parts) == 0 {
		return nil, nil
	}
	return e.user(filesAbove, parts)
}

// tool returns one tool. It says that the schema is not strict: without that the
// protocol takes it for strict, and few schemas are fit for that.
func (e responsesEncoder) tool(s tool.Spec) any {
	return item{"type": "function", "name": s.Name, "description": s.Description, "parameters": e.row.parameters(s), "strict": false}
}
