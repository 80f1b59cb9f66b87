package openaiserve

import (
	"bytes"
	"encoding/json"
)

// responsesProtocol is POST /v1/responses.
type responsesProtocol struct{}

func (responsesProtocol) read(body []byte) (*request, *problem) {
	var in struct {
		Model        string          `json:"model"`
		Input        json.RawMessage `json:"input"`
		Instructions string          `json:"instructions"`
		Stream       bool            `json:"stream"`
		Text         struct {
			Format *wantedFormat `json:"format"`
		} `json:"text"`
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	fields, p := decode(body, &in)
	if p != nil {
		return nil, p
	}
	r := &request{model: in.Model, stream: in.Stream, format: in.Text.Format.read("text.format"), metadata: in.Metadata}
	if p := r.judge(fields); p != nil {
		return nil, p
	}
	if in.Instructions != "" {
		r.said = append(r.said, said{who: byCaller, text: in.Instructions})
	}
	input := bytes.TrimSpace(in.Input)
	if len(input) > 0 && input[0] == '"' {
		input = append(append([]byte(`[{"role":"user","content":`), input...), `}]`...)
	}
	var items []json.RawMessage
	if json.Unmarshal(input, &items) != nil {
		return nil, invalid("input", "the input is neither a text nor a list of messages")
	}
	return r, r.messages(items, "input", responsesSaid)
}

func responsesSaid(raw json.RawMessage, at string) (out said, p *problem) {
	var item struct {
		Type    string          `json:"type"`
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(raw, &item); err != nil {
		return out, mistyped(at, err)
	}
	switch item.Type {
	case "", "message":
	case "reasoning": // of another model: a worker makes none for a client
		return said{who: byWorker}, nil
	case "item_reference":
		return out, unsupported(at, refusals["previous_response_id"])
	default: // calls of tools and their results, of many types
		return out, unsupported(at, "the item has the type "+short(item.Type)+", and golem serve takes messages only: "+tools)
	}
	if out.who, p = speakerOf(item.Role, at); p != nil {
		return out, p
	}
	return out, out.content(item.Content, at+".content")
}

// responseUsage is the usage of a response.
type responseUsage struct {
	In        int `json:"input_tokens"`
	InDetails struct {
		Cached int `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	Out        int `json:"output_tokens"`
	OutDetails struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	Total int `json:"total_tokens"`
}

// responseObject is a response. A null is what the protocol has for what golem serve lacks.
type responseObject struct {
	ID         string         `json:"id"`
	Object     string         `json:"object"`
	Created    int64          `json:"created_at"`
	Status     string         `json:"status"` // in_progress, completed, incomplete, failed
	Error      any            `json:"error"`
	Incomplete any            `json:"incomplete_details"`
	Metadata   any            `json:"metadata"`
	Model      string         `json:"model"`
	Output     []outputItem   `json:"output"`
	Usage      *responseUsage `json:"usage"`
	Golem      *about         `json:"golem,omitempty"`
	responseSettings
}

// responseSettings are the settings of a response, which clients expect to be there.
type responseSettings struct {
	Instructions any    `json:"instructions"`
	MaxOutput    any    `json:"max_output_tokens"`
	Parallel     bool   `json:"parallel_tool_calls"`
	Previous     any    `json:"previous_response_id"`
	Reasoning    any    `json:"reasoning"`
	Store        bool   `json:"store"`
	Temperature  any    `json:"temperature"`
	Text         any    `json:"text"`
	ToolChoice   string `json:"tool_choice"`
	Tools        []any  `json:"tools"`
	TopP         any    `json:"top_p"`
	Truncation   string `json:"truncation"`
}

// outputItem is the message of an answer.
type outputItem struct {
	ID      string       `json:"id"`
	Type    string       `json:"type"`
	Status  string       `json:"status"`
	Role    string       `json:"role"`
	Content []outputText `json:"content"`
}

type outputText struct {
	Type        string `json:"type"`
	Text        string `json:"text"`
	Annotations []any  `json:"annotations"`
	Logprobs    []any  `json:"logprobs"`
}

// response returns the answer with a status; without its text while it is in progress.
func (a answer) response(status string) responseObject {
	kind := a.request.format.kind
	if kind == "" {
		kind = "text"
	}
	out := responseObject{
		ID: "resp_" + a.id, Object: "response", Created: a.created, Status: status, Model: a.worker.ID, Output: []outputItem{},
		Metadata: map[string]any{},
		responseSettings: responseSettings{
			Reasoning: map[string]any{"effort": nil, "summary": nil}, Text: map[string]any{"format": map[string]string{"type": kind}},
			ToolChoice: "none", Tools: []any{}, Truncation: "disabled",
		},
	}
	if a.request.metadata != nil {
		out.Metadata = a.request.metadata
	}
	if status == "in_progress" {
		return out
	}
	out.Usage = &responseUsage{In: a.usage.In, Out: a.usage.Out, Total: a.usage.In + a.usage.Out}
	out.Usage.InDetails.Cached = a.usage.Cached
	out.Golem = a.about()
	if a.problem != nil {
		code := a.problem.code
		if code == "" {
			code = "server_error"
		}
		out.Error = map[string]string{"code": code, "message": a.problem.message}
		return out
	}
	out.Output = append(out.Output, a.item(a.text, status))
	if status == "incomplete" {
		out.Incomplete = map[string]string{"reason": "max_output_tokens"}
	}
	return out
}

// status returns how the answer ended.
func (a answer) status() string {
	switch {
	case a.problem != nil:
		return "failed"
	case a.cut:
		return "incomplete"
	}
	return "completed"
}

func textPart(text string) outputText {
	return outputText{Type: "output_text", Text: text, Annotations: []any{}, Logprobs: []any{}}
}

func (a answer) item(text, status string) outputItem {
	out := outputItem{ID: a.itemID(), Type: "message", Status: status, Role: "assistant", Content: []outputText{}}
	if status != "in_progress" {
		out.Content = append(out.Content, textPart(text))
	}
	return out
}

func (a answer) itemID() string { return "msg_" + a.id }

func (responsesProtocol) whole(a answer) any { return a.response(a.status()) }

// event sends an event of a stream. about are its fields besides type and sequence_number.
func (responsesProtocol) event(e *events, kind string, about map[string]any) {
	about["type"], about["sequence_number"] = kind, e.n
	e.n++
	e.send(kind, about)
}

func (p responsesProtocol) begin(e *events, a answer) {
	p.event(e, "response.created", map[string]any{"response": a.response("in_progress")})
	p.event(e, "response.in_progress", map[string]any{"response": a.response("in_progress")})
	p.event(e, "response.output_item.added", map[string]any{"output_index": 0, "item": a.item("", "in_progress")})
	p.event(e, "response.content_part.added", map[string]any{"item_id": a.itemID(), "output_index": 0, "content_index": 0, "part": textPart("")})
}

func (p responsesProtocol) text(e *events, a answer, piece string) {
	p.event(e, "response.output_text.delta", map[string]any{"item_id": a.itemID(), "output_index": 0, "content_index": 0, "delta": piece, "logprobs": []any{}})
}

func (p responsesProtocol) end(e *events, a answer) {
	status := a.status()
	if a.problem != nil {
		p.event(e, "response.failed", map[string]any{"response": a.response(status)})
		object := a.problem.object()
		p.event(e, "error", map[string]any{"code": object.Code, "message": object.Message, "param": object.Param, "error": object})
		return
	}
	p.event(e, "response.output_text.done", map[string]any{"item_id": a.itemID(), "output_index": 0, "content_index": 0, "text": a.text, "logprobs": []any{}})
	p.event(e, "response.content_part.done", map[string]any{"item_id": a.itemID(), "output_index": 0, "content_index": 0, "part": textPart(a.text)})
	p.event(e, "response.output_item.done", map[string]any{"output_index": 0, "item": a.item(a.text, status)})
	p.event(e, "response."+status, map[string]any{"response": a.response(status)})
}
