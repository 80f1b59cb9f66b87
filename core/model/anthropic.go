package model

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"golem/core/fault"
	"golem/core/tool"
)

// anthropicAPI is Anthropic's Messages, written by golem itself; docs/internal/why.md
// says why.
type anthropicAPI struct{}

var _ api = anthropicAPI{}

const anthropicVersion = "2023-06-01"

// names returns the protocol's names. set treats reasoning_effort, parallel_tool_calls
// and cache in ways of their own.
func (anthropicAPI) names() map[string]string {
	return map[string]string{
		"temperature": "temperature", "top_p": "top_p", "max_output_tokens": "max_tokens", "reasoning_effort": "thinking",
		"stop": "stop_sequences", "parallel_tool_calls": "tool_choice", "service_tier": "service_tier", "cache": "cache_control",
	}
}

func (a anthropicAPI) set(body fields, setting string, value json.RawMessage, p Provider, model string) error {
	switch setting {
	case "reasoning_effort":
		return setThinking(body, str(value), model)
	case "parallel_tool_calls":
		if string(value) == "false" {
			body["tool_choice"] = json.RawMessage(`{"type":"auto","disable_parallel_tool_use":true}`)
		}
		return nil
	case "cache":
		return nil // payload has put it into the messages
	}
	return body.set(p.nameOf(setting, a), value)
}

// setThinking sets how much the model thinks: for models before 4.6 as a number of tokens,
// for later ones as an effort.
func setThinking(body fields, effort, model string) error {
	if effort == "none" {
		return body.set("thinking", json.RawMessage(`{"type":"disabled"}`))
	}
	if !countsThoughts(model) {
		if effort == "minimal" {
			effort = "low"
		}
		if err := body.set("output_config.effort", quote(effort)); err != nil {
			return err
		}
		return body.set("thinking", json.RawMessage(`{"type":"adaptive"}`))
	}
	budget := map[string]int{"minimal": 1024, "low": 2048, "medium": 8192, "high": 16384}[effort]
	if budget == 0 {
		budget = 24576
	}
	if most, err := strconv.Atoi(string(body["max_tokens"])); err == nil {
		if most <= 1024 { // the smallest budget; it must be less than max_tokens
			return nil
		}
		budget = max(1024, min(budget, most-1024))
	}
	return body.set("thinking", json.RawMessage(`{"type":"enabled","budget_tokens":`+strconv.Itoa(budget)+`}`))
}

// early lists the beginnings of the names of models whose thinking is set as a number
// of tokens.
var early = []string{"claude-2", "claude-3", "claude-instant", "claude-opus-4-0", "claude-opus-4-1", "claude-opus-4-2", "claude-opus-4-5",
	"claude-sonnet-4-0", "claude-sonnet-4-2", "claude-sonnet-4-5", "claude-haiku-4-5"}

func countsThoughts(model string) bool {
	return slices.ContainsFunc(early, func(begin string) bool { return strings.HasPrefix(model, begin) })
}

// unthought reports whether the last answer has calls, and no answer since the person's
// message before it has thinking of this provider, as after a fallback between calls.
// The models of early refuse to think in such a request.
func unthought(messages []Message, provider string) bool {
	calls := false
	for i := len(messages) - 1; i >= 0; i-- {
		switch msg := messages[i]; {
		case msg.Role == Assistant:
			if msg.Kept.keptFor(provider) != nil || !calls && len(msg.Calls) == 0 {
				return false
			}
			calls = true
		case calls && msg.Role == User && i > 0 && messages[i-1].Role != ToolRole:
			return true
		}
	}
	return calls
}

// anthropicMost returns the max_tokens of a request whose settings have none: the
// protocol requires a number, and old models accept only a small one.
func anthropicMost(model string) int {
	switch {
	case strings.HasPrefix(model, "claude-3-5"):
		return 8192
	case strings.HasPrefix(model, "claude-3-7"):
		return 32000
	case strings.HasPrefix(model, "claude-3"), strings.HasPrefix(model, "claude-2"), strings.HasPrefix(model, "claude-instant"):
		return 4096
	}
	return 32000
}

// anthropicHead has the members of a request that are not messages, tools or settings.
type anthropicHead struct {
	Model    string  `json:"model"`
	Messages *string `json:"messages"` // null: see payload.place
	Stream   bool    `json:"stream"`
}

func (a anthropicAPI) payload(m *remote, r Request) (payload, error) {
	p := payload{head: anthropicHead{Model: m.model, Stream: !m.end.row.Quirks.NoStream}, place: noMessages, members: fields{}, settings: r.Settings}
	if err := p.members.set("max_tokens", json.RawMessage(strconv.Itoa(anthropicMost(m.model)))); err != nil {
		return p, err
	}
	if countsThoughts(m.model) && unthought(r.Messages, m.end.row.Name) {
		p.settings = maps.Clone(p.settings)
		delete(p.settings, "reasoning_effort")
	}
	messages := r.Messages
	if r.OutputSchema != nil {
		if m.end.row.outputMode(r.OutputSchema, false) == JSONSchema && strict(r.OutputSchema) && !countsThoughts(m.model) {
			format, err := json.Marshal(map[string]any{"type": "json_schema", "schema": r.OutputSchema})
			if err == nil {
				err = p.members.set("output_config.format", format)
			}
			if err != nil {
				return p, err
			}
		} else {
			messages = inWords(messages, r.OutputSchema)
		}
	}
	cache := string(r.Settings["cache"]) != "false"
	system, rest := systemText(messages)
	if system != "" {
		data, err := json.Marshal([]item{{"type": "text", "text": system}})
		if err != nil {
			return p, err
		}
		p.members["system"] = marked(data, cache)
	}
	return p, m.past.encode(&p, r, rest, anthropicEncoder{m.end.row}, func(blocks []json.RawMessage) body { return turns(rest, blocks, cache) })
}

// systemText returns the text of the system messages, and the other messages.
func systemText(messages []Message) (string, []Message) {
	if len(messages) > 0 && messages[0].Role == System && !slices.ContainsFunc(messages[1:], func(m Message) bool { return m.Role == System }) {
		return messages[0].Text, messages[1:]
	}
	var texts []string
	var rest []Message
	for _, m := range messages {
		if m.Role == System {
			texts = append(texts, m.Text)
			continue
		}
		rest = append(rest, m)
	}
	return strings.Join(texts, "\n\n"), rest
}

// turns returns the encoded messages as a list of turns. It joins neighbours of the
// same side, because the protocol wants the sides to alternate. With cache, it marks
// the end of the last two turns of the user's side, so that the next request reads
// everything up to here from the provider's cache.
func turns(messages []Message, blocks []json.RawMessage, cache bool) body {
	marks := map[int]bool{}
	for i := len(messages) - 1; i >= 0 && len(marks) < 2; i-- {
		if messages[i].Role != Assistant && (i+1 == len(messages) || messages[i+1].Role == Assistant) {
			marks[i] = true
		}
	}
	out := body{[]byte("[")}
	side, between := Role(""), []byte("")
	for i, msg := range messages {
		role := User
		if msg.Role == Assistant {
			role = Assistant
		}
		if role != side {
			if side != "" {
				out = append(out, []byte("]},"))
			}
			out = append(out, []byte(`{"role":"`+string(role)+`","content":[`))
			side, between = role, []byte("")
		}
		out = append(out, between, marked(blocks[i], cache && marks[i]))
		between = []byte(",")
	}
	if side != "" {
		out = append(out, []byte("]}"))
	}
	return append(out, []byte("]"))
}

// marked returns blocks. If mark is true, the last block has the mark that lets the
// provider cache everything up to it.
func marked(blocks json.RawMessage, mark bool) json.RawMessage {
	const control = `,"cache_control":{"type":"ephemeral"}`
	end := bytes.LastIndexByte(blocks, '}')
	if !mark || end < 0 {
		return blocks
	}
	out := append(make(json.RawMessage, 0, len(blocks)+len(control)), blocks[:end]...)
	return append(append(out, control...), blocks[end:]...)
}

func (anthropicAPI) send(m *remote, g *guard, p payload) (incoming, error) {
	data, err := json.Marshal(p.head)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(g.ctx, http.MethodPost, m.end.url.String()+"/messages", bytes.NewReader(data))
	if err != nil {
		return nil, fault.New(fault.Model, "the request cannot be written: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("anthropic-version", anthropicVersion)
	if _, err = (wire{m, g, p}).Do(req); err != nil {
		return nil, err
	}
	return eventStream{g.body}, nil // Do has set it
}

// eventStream is the incoming of an answer's body.
type eventStream struct{ *events }

// RecvRaw returns the data of the next event, or io.EOF.
func (s eventStream) RecvRaw() ([]byte, error) { return s.next() }

func (anthropicAPI) decoder(a *answer) decoder {
	a.mustEnd = true
	return &anthropicAnswer{answer: a, blocks: map[string]*block{}}
}

// anthropicEncoder writes messages as blocks of a turn.
type anthropicEncoder struct{ row Provider }

func (e anthropicEncoder) message(msg Message) (json.RawMessage, error) {
	switch msg.Role {
	case ToolRole:
		return e.result(msg)
	case Assistant:
		return e.assistant(msg)
	}
	var list []any
	if msg.Text != "" || len(msg.Parts) == 0 {
		list = append(list, item{"type": "text", "text": visible(msg.Text)})
	}
	for _, p := range msg.Parts {
		list = append(list, e.part(p))
	}
	return joined(list)
}

func (e anthropicEncoder) assistant(msg Message) (json.RawMessage, error) {
	return msg.inOrder(e.row.Name, func(text string) any {
		return item{"type": "text", "text": text}
	}, func(c Call) any {
		return item{"type": "tool_use", "id": c.ID, "name": callName(c.Name), "input": json.RawMessage(callArgs(c.Args))}
	})
}

func (anthropicEncoder) bridge() json.RawMessage { return nil }

// result encodes a tool's result with its parts.
func (e anthropicEncoder) result(msg Message) (json.RawMessage, error) {
	content := []any{item{"type": "text", "text": visible(resultText(msg, e.row))}}
	for _, p := range e.row.taken(msg.Parts) {
		content = append(content, e.part(p))
	}
	out := item{"type": "tool_result", "tool_use_id": msg.CallID, "content": content}
	if msg.Error != "" {
		out["is_error"] = true
	}
	return joined([]any{out})
}

func (anthropicEncoder) part(p Part) item {
	source := func(mime string) item {
		if p.MIME != "" {
			mime = p.MIME
		}
		return item{"type": "base64", "media_type": mime, "data": base64.StdEncoding.EncodeToString(p.Data)}
	}
	switch p.Kind {
	case "image":
		return item{"type": "image", "source": source("image/png")}
	case "pdf":
		return item{"type": "document", "title": p.Name, "source": source("application/pdf")}
	}
	return item{"type": "text", "text": attachment(p)}
}

// files returns nothing: a tool's result contains its own parts.
func (anthropicEncoder) files([]Part) (json.RawMessage, error) { return nil, nil }

func (e anthropicEncoder) tool(s tool.Spec) any {
	return item{"name": s.Name, "description": s.Description, "input_schema": e.row.parameters(s)}
}
