package mcp_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/mcp/mcptest"
)

// Tools that cannot be used do not prevent the use of the tools after them.
func TestUsableToolsBehindOthers(t *testing.T) {
	s := &mcptest.Server{}
	for i := range 25 {
		kind := `"string"`
		if i < 20 {
			kind = "5"
		}
		s.Tools = append(s.Tools, mcptest.Tool{Name: fmt.Sprint("t", i), Input: json.RawMessage(`{"type":"object","properties":{"a":{"type":` + kind + `}}}`)})
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

// calls returns a server whose answers to tool calls are written by answer.
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

// A line of an event stream ends with LF, CR or CR LF. A complete answer is used even if the
// stream ends right after it.
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

// The fault for an HTTP status has the server's text, bounded and escaped, but no HTML.
func TestWordsOfAStatus(t *testing.T) {
	for body, want := range map[string]string{
		`{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: no \u202e such thing"},"id":null}`: `HTTP status 400: Bad Request: no \u202e such thing`,
		"too many\x1b[2J": `HTTP status 400: too many\u001b[2J`, `{"error":"invalid_request"}`: `HTTP status 400: {"error":"invalid_request"}`,
		"<html>Bad Request</html>": "HTTP status 400", "": "HTTP status 400", strings.Repeat("x", 1<<20): "HTTP status 400: " + strings.Repeat("x", 300) + "… (cut)",
	} {
		c := overMemory(t, calls(&mcptest.Server{Session: "one"}, func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, body)
		}))
		_, err := c.Client().Call(t.Context(), "ok", json.RawMessage(`{}`), nil)
		if !errors.Is(err, fault.Network) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%.80s: %v, want %.80s", body, err, want)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A server that has ended the session may answer 400 in place of 404. The session is started
// again once and the call is sent again, because the server did not carry out the first.
func TestAForgottenSession(t *testing.T) {
	for body, forgives := range map[string]bool{
		`{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`: true,
		"Mcp-Session-Id header is wrong": true, "no such session, and never again": false, "the arguments are wrong": false,
	} {
		s := &mcptest.Server{Session: "one", Tools: []mcptest.Tool{{Name: "ok"}}}
		asked := 0
		c := overMemory(t, calls(s, func(w http.ResponseWriter, r *http.Request, id string) {
			if asked++; asked == 1 || !forgives {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, body)
				return
			}
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`, id)
		}))
		_, err := c.Client().Call(t.Context(), "ok", json.RawMessage(`{}`), nil)
		if (err == nil) != forgives || asked > 2 || strings.Contains(body, "session") && asked != 2 || err != nil && !strings.Contains(err.Error(), body) {
			t.Errorf("%s: asked %d times, %v", body, asked, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// An error without an id belongs to the request that it answers.
func TestErrorsWithoutAnID(t *testing.T) {
	for kind, text := range map[string]string{
		"application/json":  `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"it cannot be parsed"}}`,
		"text/event-stream": "data: {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"it cannot be parsed\"}}\n\n",
	} {
		c := overMemory(t, calls(&mcptest.Server{}, func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, text)
		}))
		_, err := c.Client().Call(t.Context(), "ok", json.RawMessage(`{}`), nil)
		if !errors.Is(err, fault.Tool) || !strings.Contains(err.Error(), "refused the call of ok: it cannot be parsed") {
			t.Errorf("%s: %v", kind, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Invisible characters in a result, with which a server could hide instructions from the
// person, reach the model as visible escapes, in texts and in structured content.
func TestHiddenCharactersOfAResult(t *testing.T) {
	const hidden = `a\u202eb\udb40\udc41c\udb40\udd00\u200bd\u001b[2J\r\n\te \ud83d\ude00 m\u200ci \\u202e`
	const shown = `a\u202eb\ue0041c\ue0100\u200bd\u001b[2J` + "\r\n\te \U0001f600 m\u200ci " + `\u202e`
	for result, want := range map[string]string{
		`{"content":[{"type":"text","text":"` + hidden + `"}]}`:                                              shown,
		`{"content":[{"type":"resource","resource":{"uri":"a","text":"` + hidden + `"}}]}`:                   shown,
		`{"content":[{"type":"text","text":"x"},{"type":"text","text":"` + hidden + `"}]}`:                   "x\n" + shown,
		`{"content":[{"type":"text","text":"x"}],"structuredContent":{"` + hidden + `":["` + hidden + `"]}}`: "",
	} {
		c := overMemory(t, calls(&mcptest.Server{}, func(w http.ResponseWriter, _ *http.Request, id string) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
		}))
		out, err := c.Client().Call(t.Context(), "ok", json.RawMessage(`{}`), nil)
		if want != "" && (err != nil || out.Text != want) {
			t.Errorf("%s\n gives %q, %v\n want %q", result, out.Text, err, want)
		}
		if want == "" {
			var data map[string][]string
			if err := errors.Join(err, json.Unmarshal(out.Data, &data)); err != nil || len(data[shown]) != 1 || data[shown][0] != shown {
				t.Errorf("structured content gives %q, %v", out.Data, err)
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A description of 34,728 bytes, the longest one of a public server, reaches the model whole.
// A longer one than golem takes is cut, and a warning names the tool and both sizes.
func TestLongDescriptions(t *testing.T) {
	for size, warned := range map[int]string{34_728: "", 60_000: "describes the tool t in 60000 bytes; the model gets the first 49152"} {
		about := strings.Repeat("describes ", size/10) + strings.Repeat("x", size%10)
		c := overMemory(t, &mcptest.Server{Tools: []mcptest.Tool{{Name: "t", Description: about}}})
		defer c.Close()
		if err := c.Open(t.Context()); err != nil {
			t.Fatal(err)
		}
		tools, warnings, err := c.Client().Tools(t.Context(), func(string) bool { return true })
		if err != nil || len(tools) != 1 {
			t.Fatal(err, tools)
		}
		whole := tools[0].Description == strings.TrimSpace(about)
		if whole != (warned == "") || len(tools[0].Description) > 49_152+len("… (cut)") {
			t.Errorf("%d bytes: the model gets %d", size, len(tools[0].Description))
		}
		if said := warnings.Error(); (said == "") != whole || !strings.Contains(said, warned) {
			t.Errorf("%d bytes: warned %q", size, said)
		}
	}
}
