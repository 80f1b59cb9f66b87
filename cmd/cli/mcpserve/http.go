package mcpserve

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"golem/core/fault"
	protocol "golem/core/mcp"
)

// Path is the URL path of the MCP endpoint.
const Path = "/mcp"

// postHeader is a request header in which Handler passes the id of the HTTP request on
// to the tool call. Handler overwrites a value that a client sends.
const postHeader = "Golem-Post"

// NewToken returns a new random bearer token that cannot be guessed.
func NewToken() string { return rand.Text() + rand.Text() }

// idle is the time without a request after which a session over HTTP is closed.
const idle = 30 * time.Minute

// Serve serves clients over HTTP until ctx ends. When it returns, every call has ended.
// Each request must carry the token.
func (s *Server) Serve(ctx context.Context, listener net.Listener, token string) error {
	server := &http.Server{
		Handler: s.Handler(token), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return fault.Of(err, fault.Platform)
	case <-ctx.Done():
	}
	s.stop()
	for _, one := range []*mcp.Server{s.shaking, s.mcp} {
		for session := range one.Sessions() {
			session.Close() // waits for the session's calls, which s.stop has ended
		}
	}
	s.running.Wait()
	end, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := server.Shutdown(end); err != nil {
		server.Close() // a client may keep its stream open
	}
	<-ended
	return nil
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
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if status, why := refusal(r, want); status != 0 {
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
func refusal(r *http.Request, want [sha256.Size]byte) (status int, why string) {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if host != "localhost" && (err != nil || !ip.IsLoopback()) {
		return http.StatusForbidden, "golem mcp serve answers to this machine's loopback names only"
	}
	if origins := r.Header.Values("Origin"); len(origins) > 1 || len(origins) == 1 && origins[0] != "http://"+r.Host {
		return http.StatusForbidden, "requests of pages of other origins are refused"
	}
	if r.URL.Path != Path {
		return http.StatusNotFound, "the address of the server ends in " + Path
	}
	scheme, got, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(got))
	if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(sum[:], want[:]) != 1 || len(r.Header.Values("Authorization")) != 1 {
		return http.StatusUnauthorized, "the header Authorization: Bearer TOKEN is missing or has another token; golem shows the token when it starts"
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

// bodyTime is how long a client may take to send the body of a request.
const bodyTime = 30 * time.Second

// readBody reads the whole body before the protocol handler sees the request, so that a
// client that sends slowly occupies only its connection, and at most for bodyTime. It
// reports whether it succeeded; if not, it has sent the error response. The time limit
// does not apply to the answer.
func readBody(w http.ResponseWriter, r *http.Request) bool {
	control := http.NewResponseController(w)
	// The error is ignored: only the response writers of tests have no deadlines.
	_ = control.SetReadDeadline(time.Now().Add(bodyTime))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		http.Error(w, "the message has more than 4 MiB", http.StatusRequestEntityTooLarge)
		return false
	case err != nil:
		http.Error(w, "the body was not received", http.StatusBadRequest)
		return false
	}
	_ = control.SetReadDeadline(time.Time{})
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
	return when(gone, do)
}
