package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"golem/core/mcp/mcptest"
)

// Tools that cannot be used do not take the place of those that can.
func TestUsableToolsBehindOthers(t *testing.T) {
	s := &mcptest.Server{}
	for i := range 25 {
		pattern := "^x"
		if i < 20 {
			pattern = "^(?!x)"
		}
		s.Tools = append(s.Tools, mcptest.Tool{Name: fmt.Sprint("t", i), Input: json.RawMessage(`{"type":"object","properties":{"a":{"pattern":"` + pattern + `"}}}`)})
	}
	c := overMemory(t, s)
	defer c.Close()
	if err := c.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	tools, warnings, err := c.Client().Tools(t.Context(), func(string) bool { return true })
	if len(tools) != 5 || len(warnings) != 20 || err != nil {
		t.Errorf("%d tools, %d warnings, %v", len(tools), len(warnings), err)
	}
}

// calls is a server whose answers to calls of tools are written by a test.
func calls(s *mcptest.Server, answer func(w http.ResponseWriter, r *http.Request, id string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		var in struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(data, &in) == nil && in.Method == "tools/call" {
			answer(w, r, string(in.ID))
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(data))
		s.ServeHTTP(w, r)
	})
}

// A line of an event stream ends with LF, CR or both, and an answer that is whole is
// taken, also if the stream ends behind it.
func TestEndsOfEvents(t *testing.T) {
	const answer = `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"it is whole"}]}}`
	whole := strings.Replace(answer, ",", ",\ndata: ", 1)
	for name, text := range map[string]string{
		"no blank line": "data: " + answer + "\n", "no end of line": "data: " + answer, "two lines": ": hello\nid: 1\ndata: " + whole + "\n\n",
		"CR": "event: message\rdata: " + answer + "\r\r", "CR and LF": ": hello\r\ndata: {\r\ndata: " + answer[1:] + "\r\n\r\n",
		"CR, and no blank line": "event: message\rdata: " + answer,
	} {
		t.Run(name, func(t *testing.T) {
			c := overMemory(t, calls(&mcptest.Server{}, func(w http.ResponseWriter, _ *http.Request, id string) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, strings.ReplaceAll(text, "ID", id))
			}))
			defer c.Close()
			if out, err := c.Client().Call(t.Context(), "ok", json.RawMessage(`{}`), nil); err != nil || out.Text != "it is whole" {
				t.Errorf("%q, %v", out.Text, err)
			}
		})
	}
}
