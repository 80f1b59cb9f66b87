package mcpserve

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	protocol "golem/core/mcp"

	"golem/cmd/cli/httpguard"
)

// Path is the URL path of the MCP endpoint.
const Path = "/mcp"

// postHeader is a request header in which Handler passes the id of the HTTP request on
// to the tool call. Handler overwrites a value that a client sends.
const postHeader = "Golem-Post"

// idle is the time without a request after which a session over HTTP is closed.
const idle = 30 * time.Minute

// Serve serves clients over HTTP until ctx ends. When it returns, every call has ended.
// Each request must carry the token.
func (s *Server) Serve(ctx context.Context, listener net.Listener, token string) error {
	return httpguard.Serve(ctx, listener, s.Handler(token), func() {
		s.stop()
		for _, one := range []*mcp.Server{s.shaking, s.mcp} {
			for session := range one.Sessions() {
				session.Close() // waits for the session's calls, which s.stop has ended
			}
		}
		s.running.Wait()
	})
}

// Handler returns the HTTP handler of the MCP endpoint. It answers only requests that
// carry the token and are addressed to a loopback name. It refuses requests of web
// pages of another origin by their Origin header, and requests after DNS rebinding by
// their Host header.
func (s *Server) Handler(token string) http.Handler {
	shaking := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.shaking }, &mcp.StreamableHTTPOptions{
		SessionTimeout: idle, MaxRequestBodyBytes: maxMessage,
	})
	stateless := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp }, &mcp.StreamableHTTPOptions{
		Stateless: true, MaxRequestBodyBytes: maxMessage,
	})
	guard := httpguard.New("golem mcp serve", token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpguard.Harden(w.Header())
		if status, why := refusal(r, guard); status != 0 {
			if status == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", "Bearer")
			}
			http.Error(w, why, status)
			return
		}
		if r.Method == http.MethodPost && r.Header.Get(protocol.SessionHeader) == "" && r.Header.Get(protocol.RevisionHeader) < protocol.Stateless && s.full() {
			http.Error(w, "too many sessions are open; end one with DELETE", http.StatusServiceUnavailable)
			return
		}
		if r.Method == http.MethodPost && !readBody(w, r) {
			return
		}
		id := rand.Text()
		r.Header.Set(postHeader, id)
		defer s.posts.begin(id, r.Context().Done())()
		if r.Header.Get(protocol.RevisionHeader) >= protocol.Stateless {
			stateless.ServeHTTP(w, r)
			return
		}
		shaking.ServeHTTP(w, r)
	})
}

// refusal returns the HTTP status and the reason with which a request is refused; 0 if
// it is allowed.
func refusal(r *http.Request, guard httpguard.Guard) (status int, why string) {
	if why := guard.Foreign(r); why != "" {
		return http.StatusForbidden, why
	}
	if r.URL.Path != Path {
		return http.StatusNotFound, "the address of the server ends in " + Path
	}
	if !guard.Authorized(r) {
		return http.StatusUnauthorized, httpguard.Unauthorized
	}
	return 0, ""
}

// full reports whether maxSessions sessions are open.
func (s *Server) full() bool {
	n := 0
	for range s.shaking.Sessions() {
		n++
	}
	return n >= maxSessions
}

// readBody reads the whole body before the protocol handler sees the request. It reports
// whether it succeeded; if not, it has sent the error response.
func readBody(w http.ResponseWriter, r *http.Request) bool {
	body, err := httpguard.ReadBody(w, r, maxMessage)
	switch {
	case errors.Is(err, httpguard.ErrTooLarge):
		http.Error(w, "the message has more than 4 MiB", http.StatusRequestEntityTooLarge)
		return false
	case err != nil:
		http.Error(w, "the body was not received", http.StatusBadRequest)
		return false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return true
}

// posts is the set of HTTP requests that are being answered. It is used to end a call
// when the client that waits for it goes away.
type posts struct {
	mu   sync.Mutex
	open map[string]<-chan struct{} // closed when the client has gone away
}

// begin adds a request to the set; done removes it. gone is closed when the client goes
// away.
func (p *posts) begin(id string, gone <-chan struct{}) (done func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		p.open = map[string]<-chan struct{}{}
	}
	p.open[id] = gone
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.open, id)
	}
}

// whenGone calls do if the client of a request goes away before stop is called. If the
// request is over already, it calls do at once.
func (p *posts) whenGone(h http.Header, do func()) (stop func()) {
	id := h.Get(postHeader)
	if id == "" {
		return func() {}
	}
	p.mu.Lock()
	gone := p.open[id]
	p.mu.Unlock()
	if gone == nil { // it is over already
		do()
		return func() {}
	}
	return onClosed(gone, do)
}
