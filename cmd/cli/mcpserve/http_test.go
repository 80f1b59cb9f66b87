package mcpserve

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"golem/core/approval"
	"golem/core/fault"
	protocol "golem/core/mcp"
	"golem/core/run"
	"golem/core/ui"
)

// withToken is an HTTP transport that sends the token with each request.
type withToken string

func (token withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	r.Header.Set(postHeader, "mine") // is dropped
	return http.DefaultTransport.RoundTrip(r)
}

// SECURITY 23: over HTTP, only clients with the token get an answer, and no web page.
// Sessions run at the same time, ask their own users, and end with their clients.
func TestHTTP(t *testing.T) {
	for _, revision := range []string{protocol.Latest, protocol.Stateless} {
		t.Run(revision, func(t *testing.T) { overHTTP(t, revision) })
	}
}

func overHTTP(t *testing.T, revision string) {
	begun, ended := make(chan bool, 1), make(chan error, 1)
	s, err := New("test", "", []Tool{asking(approval.KindTurns), {Name: "text", Run: echo}, {Name: "wait", Optional: true, Run: func(ctx context.Context, _ Call, _ ui.UI) run.Result {
		begun <- true
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return run.Result{Status: run.Interrupted, Error: fault.New(fault.Interrupted, "x")}
	}}})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + listener.Addr().String() + Path
	over, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(over, listener, "secret") }()
	defer func() { // with sessions still open
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}()
	client := func(answer string) *mcp.ClientSession {
		options := &mcp.ClientOptions{ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": answer}}, nil
		}}
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, options).Connect(t.Context(), &mcp.StreamableClientTransport{
			Endpoint: address, HTTPClient: &http.Client{Transport: withToken("secret")},
		}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { session.Close() })
		return session
	}
	one, two := client("yes"), client("no")
	if _, got := call(t, one, "ask", nil); got != "yes " {
		t.Error(got)
	}
	if _, got := call(t, two, "ask", nil); got != "no " {
		t.Error(got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	body := `{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"wait","_meta":{"` + protocol.MetaCapabilities + `":{},"` + protocol.MetaRevision + `":"2026-07-28"}}}`
	if revision != protocol.Stateless {
		body = `{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"wait"}}`
	}
	r, _ := http.NewRequestWithContext(ctx, "POST", address, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Session-Id", one.ID())
	if revision == protocol.Stateless {
		r.Header.Del("Mcp-Session-Id")
		r.Header.Set(protocol.RevisionHeader, revision)
		r.Header.Set(protocol.MethodHeader, "tools/call")
		r.Header.Set(protocol.NameHeader, "wait")
	}
	go func() {
		if res, err := withToken("secret").RoundTrip(r); err == nil {
			io.Copy(io.Discard, res.Body)
			res.Body.Close()
		}
	}()
	<-begun
	cancel() // the client goes away without a word
	if err := <-ended; err == nil {
		t.Error("the call goes on without its client")
	}
	if _, got := call(t, one, "text", map[string]any{"input": "still here"}); got != `"still here"` {
		t.Error(got)
	}
}

// A client that is refused gets the reason, before anything of its request is read.
func TestHTTPRefuses(t *testing.T) {
	s, err := New("test", "", []Tool{{Name: "text", Run: echo}})
	if err != nil {
		t.Fatal(err)
	}
	handler := s.Handler("secret")
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	for _, c := range []struct {
		name   string
		change func(*http.Request)
		want   int
	}{
		{"all is well", func(*http.Request) {}, 200},
		{"its own origin", func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:9") }, 200},
		{"IPv6", func(r *http.Request) { r.Host = "[::1]:9" }, 200},
		{"rebinding", func(r *http.Request) { r.Host = "evil.example:9" }, 403},
		{"a name that looks local", func(r *http.Request) { r.Host = "localhost.evil.example" }, 403},
		{"no host", func(r *http.Request) { r.Host = "" }, 403},
		{"another address", func(r *http.Request) { r.Host = "192.168.0.1" }, 403},
		{"a page", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403},
		{"a page without origin", func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		{"a page of another port", func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:10") }, 403},
		{"two origins", func(r *http.Request) { r.Header["Origin"] = []string{"http://127.0.0.1:9", "https://evil.example"} }, 403},
		{"no token", func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		{"another token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer secreT") }, 401},
		{"an empty token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer ") }, 401},
		{"another scheme", func(r *http.Request) { r.Header.Set("Authorization", "Basic secret") }, 401},
		{"two tokens", func(r *http.Request) { r.Header.Add("Authorization", "Bearer other") }, 401},
		{"the token in the address", func(r *http.Request) { r.Header.Del("Authorization"); r.URL.RawQuery = "token=secret" }, 401},
		{"another path", func(r *http.Request) { r.URL.Path = "/" }, 404},
		{"too much", func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader(strings.Repeat("x", maxMessage+1))) }, 413},
		{"not JSON", func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader("{bad")) }, 400},
		{"another type", func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, 415},
		{"another's session", func(r *http.Request) { r.Header.Set("Mcp-Session-Id", "guess") }, 404},
	} {
		r := httptest.NewRequest("POST", "http://127.0.0.1:9"+Path, strings.NewReader(hello))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Authorization", "Bearer secret")
		c.change(r)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != c.want || w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %d, want %d: %.200s", c.name, w.Code, c.want, w.Body)
		}
	}
	for one := range s.mcp.Sessions() {
		one.Close()
	}
}
