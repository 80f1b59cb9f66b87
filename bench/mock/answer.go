package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// request has the fields of a chat completion request that the mock reads. Of the history it
// needs only the system prompt and the number of tool results.
type request struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
}

func answer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var req request
	if err == nil {
		err = json.Unmarshal(body, &req)
	}
	var p plan
	if err == nil {
		p, err = parsePlan(req.Model)
	}
	if err != nil {
		http.Error(w, fmt.Sprintf(`{"error":{"message":%q}}`, err.Error()), http.StatusBadRequest)
		return
	}
	child, results := false, 0
	for _, m := range req.Messages {
		child = child || m.Role == "system" && bytes.Contains(m.Content, []byte("CHILD"))
		if m.Role == "tool" {
			results++
		}
	}
	if results == 0 {
		time.Sleep(p.delay)
	}
	text, calls := p.next(results, child)
	if req.Stream {
		stream(w, req.Model, text, calls)
		return
	}
	whole(w, req.Model, text, calls)
}

type object = map[string]any

func toolCalls(calls []call) []object {
	var out []object
	for i, c := range calls {
		out = append(out, object{
			"index": i, "id": c.id, "type": "function",
			"function": object{"name": c.name, "arguments": c.args},
		})
	}
	return out
}

func finish(calls []call) string {
	if len(calls) > 0 {
		return "tool_calls"
	}
	return "stop"
}

var usage = object{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}

func whole(w http.ResponseWriter, model, text string, calls []call) {
	message := object{"role": "assistant", "content": text}
	if len(calls) > 0 {
		message["tool_calls"] = toolCalls(calls)
	}
	w.Header().Set("Content-Type", "application/json")
	send(w, object{
		"id": "mock", "object": "chat.completion", "model": model, "usage": usage,
		"choices": []object{{"index": 0, "message": message, "finish_reason": finish(calls)}},
	})
}

// stream sends the answer as server-sent events: role, content or calls, the
// finish reason, the usage.
func stream(w http.ResponseWriter, model, text string, calls []call) {
	w.Header().Set("Content-Type", "text/event-stream")
	chunk := func(delta object, finish any) {
		choice := object{"index": 0, "delta": delta, "finish_reason": finish}
		event(w, object{"id": "mock", "object": "chat.completion.chunk", "model": model, "choices": []object{choice}})
	}
	chunk(object{"role": "assistant", "content": ""}, nil)
	if text != "" {
		chunk(object{"content": text}, nil)
	}
	for _, c := range toolCalls(calls) {
		chunk(object{"tool_calls": []object{c}}, nil)
	}
	chunk(object{}, finish(calls))
	event(w, object{"id": "mock", "object": "chat.completion.chunk", "model": model, "choices": []object{}, "usage": usage})
	_, _ = io.WriteString(w, "data: [DONE]\n\n") // a client that left is not an error
}

func event(w io.Writer, v object) {
	_, _ = io.WriteString(w, "data: ")
	send(w, v)
	_, _ = io.WriteString(w, "\n")
}

// send writes v as one line. Only a client that left can make it fail.
func send(w io.Writer, v object) { _ = json.NewEncoder(w).Encode(v) }
