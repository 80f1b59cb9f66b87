package mcptest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"golem/core/mcp"
)

var _ http.Handler = (*Server)(nil)

// ServeHTTP answers requests of streamable HTTP.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		s.tellOverHTTP(w, r)
		return
	}
	if r.Method != http.MethodPost {
		return
	}
	data, err := io.ReadAll(r.Body)
	var in incoming
	if err != nil || json.Unmarshal(data, &in) != nil {
		http.Error(w, "not JSON", http.StatusBadRequest)
		return
	}
	if s.Version == mcp.Stateless {
		s.stateless(w, r, in, data)
		return
	}
	s.mu.Lock()
	gone := s.gone && in.Method != "initialize"
	s.gone = gone
	s.mu.Unlock()
	switch {
	case in.Method == "initialize" && s.Session != "":
		w.Header().Set("Mcp-Session-Id", s.Session)
	case gone || r.Header.Get("Mcp-Session-Id") != s.Session:
		http.Error(w, "no such session", http.StatusNotFound)
		return
	}
	if len(in.ID) == 0 {
		_ = s.Handle(r.Context(), data, nil)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	s.respond(w, r, data, s.Stream)
}

// stateless answers a request of mcp.Stateless.
func (s *Server) stateless(w http.ResponseWriter, r *http.Request, in incoming, data []byte) {
	problem := ""
	if in.Method != "initialize" {
		problem = s.headers(r, in)
	}
	switch {
	case len(in.ID) == 0:
		http.Error(w, "a notification is not expected", http.StatusBadRequest)
	case problem != "":
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, in.ID, mcp.CodeWrongHeader, problem)
	case in.Method == "initialize":
		w.WriteHeader(http.StatusBadRequest)
		_ = s.Handle(r.Context(), data, func(m []byte) { _, _ = w.Write(m) })
	default:
		s.respond(w, r, data, s.Stream || in.Method == "subscriptions/listen")
		if r.Context().Err() != nil { // the end of the connection cancels the request
			s.cancelled()
		}
	}
}

// respond answers a request with JSON or a stream.
func (s *Server) respond(w http.ResponseWriter, r *http.Request, data []byte, stream bool) {
	kind := "application/json"
	if stream {
		kind = "text/event-stream"
	}
	w.Header().Set("Content-Type", kind)
	var last []byte
	err := s.Handle(r.Context(), data, func(m []byte) {
		if last = m; stream {
			fmt.Fprintf(w, "event: message\ndata: %s\n\n", m)
			flush(w)
		}
	})
	if err == nil && !stream {
		_, _ = w.Write(last)
	}
	if errors.Is(err, errDies) && !stream {
		w.WriteHeader(http.StatusInternalServerError)
	}
}

// tellOverHTTP sends the server's own notifications as a stream, if Stream is set.
func (s *Server) tellOverHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.Stream || s.Version == mcp.Stateless {
		http.Error(w, "no stream", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	flush(w)
	select {
	case <-s.notices():
		fmt.Fprint(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n")
		flush(w)
	case <-r.Context().Done():
	}
}

func flush(w http.ResponseWriter) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

// Doer is an mcp.Doer in memory, with a handler for each host.
type Doer map[string]http.Handler

// Do calls the handler of the request's host. It returns when the handler has sent the
// header, and the body is a stream. It fails if there is no handler for the host.
func (d Doer) Do(r *http.Request) (*http.Response, error) {
	handler, ok := d[r.URL.Host]
	if !ok {
		return nil, fmt.Errorf("there is no host %s", r.URL.Host)
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	read, write := io.Pipe()
	w := &writer{pipe: write, header: http.Header{}, begun: make(chan struct{})}
	go func() {
		handler.ServeHTTP(w, r)
		w.WriteHeader(http.StatusOK)
		write.Close()
	}()
	select {
	case <-w.begun:
	case <-r.Context().Done():
		read.Close()
		return nil, r.Context().Err()
	}
	return &http.Response{StatusCode: w.status, Header: w.sent, Body: &body{read, r}, Request: r}, nil
}

// body is the body of a response. Reading fails when the context of the request ends.
type body struct {
	*io.PipeReader
	r *http.Request
}

func (b *body) Read(p []byte) (int, error) {
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-b.r.Context().Done():
			b.PipeReader.CloseWithError(b.r.Context().Err())
		case <-done:
		}
	}()
	return b.PipeReader.Read(p)
}

type writer struct {
	pipe   *io.PipeWriter
	header http.Header
	once   sync.Once
	begun  chan struct{}
	status int
	sent   http.Header
}

func (w *writer) Header() http.Header { return w.header }

func (w *writer) WriteHeader(status int) {
	w.once.Do(func() {
		w.status, w.sent = status, w.header.Clone()
		close(w.begun)
	})
}

func (w *writer) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.pipe.Write(p)
}

func (w *writer) Flush() { w.WriteHeader(http.StatusOK) }
