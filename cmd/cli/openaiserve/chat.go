package openaiserve

import (
	"encoding/json"
	"fmt"

	"golem/core/fault"
)

// protocol is one of OpenAI's two protocols.
type protocol interface {
	// read reads a request.
	read(body []byte) (*request, *problem)
	// whole returns an answer as one JSON object.
	whole(a answer) any
	// begin, text and end write an answer as a stream of events. end is called once, also
	// if the answer has a problem.
	begin(e *events, a answer)
	text(e *events, a answer, piece string)
	end(e *events, a answer)
}

// chatProtocol is POST /v1/chat/completions.
type chatProtocol struct{}

// chatMessage is a message of a request for a chat completion.
type chatMessage struct {
	Role         string            `json:"role"`
	Content      json.RawMessage   `json:"content"`
	Refusal      string            `json:"refusal"`
	ToolCalls    []json.RawMessage `json:"tool_calls"`
	FunctionCall json.RawMessage   `json:"function_call"`
}

func (chatProtocol) read(body []byte) (*request, *problem) {
	var in struct {
		Model         string            `json:"model"`
		Messages      []json.RawMessage `json:"messages"`
		Stream        bool              `json:"stream"`
		StreamOptions struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
		ResponseFormat *wantedFormat `json:"response_format"`
	}
	fields, p := decode(body, &in)
	if p != nil {
		return nil, p
	}
	r := &request{model: in.Model, stream: in.Stream, usage: in.StreamOptions.IncludeUsage, format: in.ResponseFormat.read("response_format")}
	if p := r.judge(fields); p != nil {
		return nil, p
	}
	return r, r.messages(in.Messages, "messages", chatSaid)
}

// messages reads the messages of a request, each with read.
func (r *request) messages(list []json.RawMessage, param string, read func(raw json.RawMessage, at string) (said, *problem)) *problem {
	switch {
	case r.model == "":
		return invalid("model", "the request names no model: GET /v1/models lists them")
	case len(list) == 0:
		return invalid(param, "the request has no messages")
	case len(list) > maxMessages:
		return invalid(param, fmt.Sprintf("the request has more than %d messages", maxMessages))
	}
	for i, raw := range list {
		one, p := read(raw, fmt.Sprintf("%s[%d]", param, i))
		if p != nil {
			return p
		}
		r.said = append(r.said, one)
	}
	return nil
}

// speakerOf returns who a role is.
func speakerOf(role, at string) (speaker, *problem) {
	switch role {
	case "user":
		return byUser, nil
	case "assistant":
		return byWorker, nil
	case "system", "developer":
		return byCaller, nil
	case "tool", "function":
		return 0, unsupported(at, tools)
	}
	return 0, invalid(at, "the role is "+short(role)+", and not user, assistant, system or developer")
}

// short returns what a client wrote for a message.
func short(text string) string {
	if len(text) > 40 {
		text = text[:40] + "…"
	}
	return fault.Quoted(text)
}

func chatSaid(raw json.RawMessage, at string) (out said, p *problem) {
	var m chatMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		return out, mistyped(at, err)
	}
	if out.who, p = speakerOf(m.Role, at); p != nil {
		return out, p
	}
	if len(m.ToolCalls) > 0 || len(m.FunctionCall) > 0 && string(m.FunctionCall) != "null" {
		return out, unsupported(at, tools)
	}
	if p = out.content(m.Content, at+".content"); p == nil && out.text == "" {
		out.text = m.Refusal
	}
	return out, p
}

// chatUsage is the usage of a chat completion.
type chatUsage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
	Details    struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

func chatUsageOf(a answer) *chatUsage {
	u := &chatUsage{Prompt: a.usage.In, Completion: a.usage.Out, Total: a.usage.In + a.usage.Out}
	u.Details.Cached = a.usage.Cached
	return u
}

// chatObject is a chat completion, or a chunk of one.
type chatObject struct {
	ID      string       `json:"id"`
	Object  string       `json:"object"`
	Created int64        `json:"created"`
	Model   string       `json:"model"`
	Choices []chatChoice `json:"choices"`
	Usage   *chatUsage   `json:"usage,omitempty"`
	Golem   *about       `json:"golem,omitempty"`
}

type chatChoice struct {
	Index    int       `json:"index"`
	Message  *chatText `json:"message,omitempty"`
	Delta    *chatText `json:"delta,omitempty"`
	Logprobs any       `json:"logprobs"`
	Finish   *string   `json:"finish_reason"`
}

type chatText struct {
	Role    string  `json:"role,omitempty"`
	Content *string `json:"content,omitempty"`
	// Refusal is null in each message; a chunk has none.
	Refusal json.RawMessage `json:"refusal,omitempty"`
}

func (a answer) chat(object string, choices ...chatChoice) chatObject {
	return chatObject{ID: "chatcmpl-" + a.id, Object: object, Created: a.created, Model: a.worker.ID, Choices: choices}
}

// chatFinish returns the reason why the answer ended.
func (a answer) chatFinish() *string {
	reason := "stop"
	if a.cut {
		reason = "length"
	}
	return &reason
}

func (chatProtocol) whole(a answer) any {
	out := a.chat("chat.completion", chatChoice{
		Message: &chatText{Role: "assistant", Content: &a.text, Refusal: json.RawMessage("null")}, Finish: a.chatFinish(),
	})
	out.Usage, out.Golem = chatUsageOf(a), a.about()
	return out
}

// chunk sends a chunk of a stream.
func (chatProtocol) chunk(e *events, a answer, delta chatText, finish *string) {
	out := a.chat("chat.completion.chunk", chatChoice{Delta: &delta, Finish: finish})
	if finish != nil {
		out.Golem = a.about()
	}
	e.send("", out)
}

func (c chatProtocol) begin(e *events, a answer) {
	c.chunk(e, a, chatText{Role: "assistant", Content: new("")}, nil)
}

func (c chatProtocol) text(e *events, a answer, piece string) {
	c.chunk(e, a, chatText{Content: &piece}, nil)
}

func (c chatProtocol) end(e *events, a answer) {
	if a.problem != nil {
		e.send("", map[string]any{"error": a.problem.object()})
		return
	}
	c.chunk(e, a, chatText{}, a.chatFinish())
	if a.request.usage {
		out := a.chat("chat.completion.chunk")
		out.Choices, out.Usage = []chatChoice{}, chatUsageOf(a)
		e.send("", out)
	}
	e.raw("data: [DONE]\n\n")
}
