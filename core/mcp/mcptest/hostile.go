package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"golem/core/fault"
	"golem/core/mcp"
)

// trick is a hostile answer to a tool call.
type trick struct {
	name string
	code fault.Code // of the fault that the call returns
	does func(w http.ResponseWriter, r *http.Request, id json.RawMessage)
}

func answers(kind, text string) func(http.ResponseWriter, *http.Request, json.RawMessage) {
	return func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, strings.ReplaceAll(text, "ID", string(id))) // the client may have closed the connection
	}
}

// floods returns an answer that repeats a text until the client closes the connection.
func floods(text string) func(http.ResponseWriter, *http.Request, json.RawMessage) {
	return func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) {
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			if _, err := io.WriteString(w, text); err != nil {
				return
			}
		}
	}
}

// status returns an answer with an HTTP status and no body.
func status(code int) func(http.ResponseWriter, *http.Request, json.RawMessage) {
	return func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) { w.WriteHeader(code) }
}

// elsewhere is the path to which a server redirects.
const elsewhere = "/elsewhere"

// redirects answers with a redirect to another host. If the server listens on this machine,
// that is the same server by the name localhost, so that it notices a client that follows.
func redirects(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
	to := "https://elsewhere.example" + elsewhere
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		to = "http://" + net.JoinHostPort("localhost", port) + elsewhere
	}
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusTemporaryRedirect)
}

// tricks returns the answers of servers that break the protocol.
func tricks() []trick {
	const asJSON, asEvents = "application/json", "text/event-stream"
	return []trick{
		{name: "leads elsewhere", code: fault.Network, does: redirects},
		{name: "wants a key", code: fault.Network, does: status(http.StatusUnauthorized)},
		{name: "fails", code: fault.Network, does: status(http.StatusInternalServerError)},
		{name: "speaks HTML", code: fault.Tool, does: answers("text/html", "<h1>hello</h1>")},
		{name: "breaks off in the middle", code: fault.Tool, does: answers(asJSON, `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"ty`)},
		{name: "nests without end", code: fault.ToolOutput, does: answers(asJSON, `{"jsonrpc":"2.0","id":ID,"result":`+strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)+"}")},
		{name: "returns a number", code: fault.ToolOutput, does: answers(asJSON, `{"jsonrpc":"2.0","id":ID,"result":7}`)},
		{name: "returns files without end", code: fault.Limit, does: answers(asJSON, `{"jsonrpc":"2.0","id":ID,"result":{"content":[`+strings.Repeat(`{"type":"image","data":"aGk=","mimeType":"image/png"},`, 200)+`{"type":"text","text":""}]}}`)},
		{name: "never ends a line", code: fault.Limit, does: floods("data: " + strings.Repeat("x", 1<<20))},
		{name: "never answers", code: fault.Limit, does: floods(": " + strings.Repeat("x", 1<<20) + "\n")},
		{name: "answers another", code: fault.Network, does: answers(asEvents, "data: {\"jsonrpc\":\"2.0\",\"id\":\"other\",\"result\":{}}\n\n")},
		{name: "breaks off again and again", code: fault.Network, does: answers(asEvents, "id: 1\nretry: 0\ndata:\n\n")},
		{name: "sends a batch without end", code: fault.Tool, does: answers(asJSON, "["+strings.Repeat(`{"jsonrpc":"2.0","method":"x"},`, 2000)+`{"jsonrpc":"2.0","id":ID,"result":{}}]`)},
	}
}

// Hostile calls a tool of servers that break the protocol, and tests that each call returns
// a fault with the right code and that no redirect is followed.
func Hostile(t *testing.T, connect func(t *testing.T, h http.Handler) *mcp.Connection) {
	for _, one := range tricks() {
		t.Run(one.name, func(t *testing.T) {
			s := &hostileServer{does: one.does}
			c := connect(t, s)
			defer c.Close()
			_, err := c.Client().Call(t.Context(), "ok", json.RawMessage(`{}`), nil)
			var f *fault.Fault
			if !errors.As(err, &f) || f.Code != one.code {
				t.Errorf("%v, want %s", err, one.code)
			}
			if s.followed.Load() {
				t.Error("the redirect was followed")
			}
			if err != nil && len(err.Error()) > 4<<10 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
}

// hostileServer follows the protocol until a tool is called.
type hostileServer struct {
	Server
	does     func(w http.ResponseWriter, r *http.Request, id json.RawMessage)
	followed atomic.Bool // a redirect
}

// ServeHTTP uses does for tool calls and for resumed streams.
func (s *hostileServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == elsewhere {
		s.followed.Store(true)
	}
	data, err := io.ReadAll(r.Body)
	var in incoming
	if err == nil && json.Unmarshal(data, &in) == nil && in.Method == "tools/call" || r.Header.Get("Last-Event-ID") != "" {
		s.does(w, r, in.ID)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(data))
	s.Server.ServeHTTP(w, r)
}

// Refuses sends the client the requests that golem does not offer to servers, in the middle
// of a call. It returns the errors with which the client answered, by method.
func Refuses(ctx context.Context, t *testing.T, connect func(t *testing.T, h http.Handler) *mcp.Connection) map[string]string {
	t.Helper()
	wants := []string{"sampling/createMessage", "elicitation/create", "roots/list"}
	got := make(chan [2]string, len(wants))
	s := &asking{wants: wants, got: got}
	c := connect(t, s)
	defer c.Close()
	if _, err := c.Client().Call(ctx, "ok", json.RawMessage(`{}`), nil); err != nil {
		t.Error(err)
	}
	out := map[string]string{}
	for range wants {
		one := <-got
		out[one[0]] = one[1]
	}
	return out
}

// asking is a server that sends requests to the client during a call.
type asking struct {
	Server
	wants []string
	got   chan [2]string
}

// ServeHTTP sends the requests before it answers a call. The client's answers go to got.
func (s *asking) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(r.Body)
	var in struct {
		incoming
		Error json.RawMessage `json:"error"`
	}
	if err != nil || json.Unmarshal(data, &in) != nil && len(data) > 0 {
		http.Error(w, "not JSON", http.StatusBadRequest)
		return
	}
	switch {
	case in.Method == "" && len(in.ID) > 0:
		s.got <- [2]string{s.wants[in.ID[1]-'0'], string(in.Error)}
		w.WriteHeader(http.StatusAccepted)
	case in.Method == "tools/call":
		w.Header().Set("Content-Type", "text/event-stream")
		for i, want := range s.wants {
			fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":\"%d\",\"method\":%q,\"params\":{}}\n\n", i, want)
		}
		fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[]}}\n\n", in.ID)
	default:
		r.Body = io.NopCloser(bytes.NewReader(data))
		s.Server.ServeHTTP(w, r)
	}
}
