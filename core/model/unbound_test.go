package model

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

// refuser is a doer that refuses requests that contain the text refused, with the
// message with, and answers all others.
type refuser struct {
	refused, with string
	bodies        []string
}

func (d *refuser) Do(req *http.Request) (*http.Response, error) {
	data, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	d.bodies = append(d.bodies, string(data))
	status, kind, body := http.StatusOK, "text/event-stream", strings.Join([]string{
		`data: {"type":"message_start","message":{"usage":{"input_tokens":1}}}`, `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hello"}}`,
		`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}`, `data: {"type":"message_stop"}`, "",
	}, "\n\n")
	if strings.Contains(string(data), d.refused) {
		status, kind, body = http.StatusBadRequest, "application/json", `{"type":"error","error":{"type":"invalid_request_error","message":"`+d.with+`"}}`
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
}

// A block of thinking is valid only after the same conversation. After a compaction, or
// with other tools, Anthropic refuses blocks that were made before: they are left out,
// in later requests too, and newer ones go back.
func TestThinkingOfAnotherConversation(t *testing.T) {
	d := &refuser{refused: "sig-1", with: "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation."}
	m := open(t, "anthropic:claude-opus-5", Config{HTTP: d, Env: env(key)})
	thought := func(signature string) *Kept {
		return &Kept{Provider: "anthropic", Items: items(`{"type":"thinking","thinking":"hm","signature":"`+signature+`"}`, `{"type":"text","text":"Hi"}`)}
	}
	r := Request{Conversation: "c", Messages: []Message{{Role: User, Text: "a"}, {Role: Assistant, Text: "Hi", Kept: thought("sig-1")}, {Role: User, Text: "b"}}}
	if turn, err := m.Generate(context.Background(), r, nil); err != nil || turn.Text != "Hello" {
		t.Fatal(turn, err)
	}
	if r.Messages[1].Kept == nil {
		t.Error("the caller's message was changed")
	}
	r.Messages = append(r.Messages, Message{Role: Assistant, Text: "Hi", Kept: thought("sig-2")}, Message{Role: User, Text: "c"})
	if _, err := m.Generate(context.Background(), r, nil); err != nil {
		t.Fatal(err)
	}
	if len(d.bodies) != 3 || strings.Contains(d.bodies[2], "sig-1") || !strings.Contains(d.bodies[2], "sig-2") {
		t.Errorf("%d requests, the last %s", len(d.bodies), d.bodies[len(d.bodies)-1])
	}
	d.with = "max_tokens: too large"
	r.Conversation = "other"
	if _, err := m.Generate(context.Background(), r, nil); err == nil || len(d.bodies) != 4 {
		t.Errorf("another refusal: %d requests, %v", len(d.bodies), err)
	}
}
