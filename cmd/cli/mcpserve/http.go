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
)

// Path is where the protocol is served over HTTP.
const Path = "/mcp"

// postHeader carries, from the guard to a call, which request the call came with. What a
// client sends under this name is dropped.
const postHeader = "Golem-Post"

// NewToken makes a token that cannot be guessed.
func NewToken() string { return rand.Text() + rand.Text() }

// idle is how long a session over HTTP lives without a request.
const idle = 30 * time.Minute

// Serve serves clients over HTTP until ctx ends; then every call has ended. A request
// needs the token.
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
	for session := range s.mcp.Sessions() {
		session.Close() // waits for its calls, which end now
	}
	end, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := server.Shutdown(end); err != nil {
		server.Close() // a client that keeps its stream open
	}
	<-ended
	return nil
}

// Handler answers requests of clients on this machine that have the token. A page in a
// browser cannot make one: its requests have an Origin, and after DNS rebinding another
// Host.
func (s *Server) Handler(token string) http.Handler {
	inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp }, &mcp.StreamableHTTPOptions{
		SessionTimeout: idle, MaxRequestBodyBytes: maxMessage,
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
		if r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == "" && s.full() {
			http.Error(w, "too many sessions are open; end one with DELETE", http.StatusServiceUnavailable)
			return
		}
		if r.Method == http.MethodPost && !readBody(w, r) {
			return
		}
		id := rand.Text()
		r.Header.Set(postHeader, id)
		defer s.posts.begin(id, r.Context().Done())()
		inner.ServeHTTP(w, r)
	})
}

// refusal tells why a request is not answered; 0: it is.
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

// full tells that no further session has room.
func (s *Server) full() bool {
	n := 0
	for range s.mcp.Sessions() {
		n++
	}
	return n >= maxSessions
}

// bodyTime is how long the body of a request may take.
const bodyTime = 30 * time.Second

// readBody reads the body before the protocol sees the request: a client that sends it
// slowly holds nothing but its connection, and not for long. The answer may take longer.
func readBody(w http.ResponseWriter, r *http.Request) bool {
	control := http.NewResponseController(w)
	// A writer without deadlines is a test's.
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

// posts are the requests that are being answered, so that a call ends with the client
// that waits for it.
type posts struct {
	mu   sync.Mutex
	open map[string]<-chan struct{} // closed when the client has gone away
}

// begin keeps a request until done is called.
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

// whenGone calls do if the client of a request goes away before stop is called.
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
