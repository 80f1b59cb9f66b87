package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"golem/core/fault"
)

// Doer sends an HTTP request and follows no redirect.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// HTTP connects to servers with a URL, over streamable HTTP, for platforms that cannot start
// a program: a server with a command is E_PLATFORM.
type HTTP struct {
	Doer    Doer
	Version string // golem's
}

var _ Dialer = HTTP{}

// Dial begins a session.
func (d HTTP) Dial(ctx context.Context, s Server, told Listener) (Session, error) {
	if s.URL == "" {
		return nil, NoCommands(s.Name)
	}
	h := &httpSession{peer: &peer{server: s, version: d.Version, told: told}, do: d.Doer, renewing: make(chan struct{}, 1)}
	h.life, h.end = context.WithCancel(context.WithoutCancel(ctx))
	if err := h.initialize(ctx); err != nil {
		h.end()
		h.streams.Wait()
		return nil, err
	}
	return h, nil
}

// NoCommands returns the fault for a server with a command on a platform that cannot start
// programs.
func NoCommands(name string) *fault.Fault {
	return fault.New(fault.Platform, "the MCP server %s is a command, and this platform cannot start programs", name).
		Hinting("use a server with a url, or run the project with the golem command")
}

// httpSession is a session over streamable HTTP: each request is a POST whose answer is
// JSON or a stream of events.
type httpSession struct {
	*peer
	do Doer

	life    context.Context // ends with Close
	end     context.CancelFunc
	streams sync.WaitGroup

	renewing chan struct{} // is full while a request starts another session

	state sync.Mutex
	id    string // Mcp-Session-Id
	begun int    // how many sessions were started
}

var _ Session = (*httpSession)(nil)

// closing is the timeout for the last messages to a server: the end of a session, a
// cancellation, an answer.
const closing = 2 * time.Second

// initialize begins the session. It is called again if the server has ended the session.
// Until it has succeeded, other requests name the old session, so that they fail with
// errGone.
func (h *httpSession) initialize(ctx context.Context) error {
	if err := h.begin(ctx, h); err != nil {
		return err
	}
	h.state.Lock()
	h.begun++
	h.state.Unlock()
	if changes := h.listsTold(); len(changes) > 0 {
		h.streams.Go(func() { h.listen(changes) })
	}
	return nil
}

// errGone means that the server does not know the session any more: it answered 404, or
// 400 with a text about the session, as some servers do.
var errGone = errors.New("the server has ended the session")

// Request sends a request. If the server has ended the session, Request starts another one
// and sends the request again; this is safe, because the server did not carry it out.
func (h *httpSession) Request(ctx context.Context, method string, params any, progress func(Progress)) (json.RawMessage, error) {
	session := h.session()
	raw, err := h.send(ctx, method, params, progress)
	if !errors.Is(err, errGone) {
		return raw, err
	}
	if err := h.renew(ctx, session); err != nil {
		return nil, err
	}
	return h.send(ctx, method, params, progress)
}

// session returns the number of the present session.
func (h *httpSession) session() int {
	h.state.Lock()
	defer h.state.Unlock()
	return h.begun
}

// renew starts a session in place of the one with the number gone, unless another request
// has done so.
func (h *httpSession) renew(ctx context.Context, gone int) error {
	select {
	case h.renewing <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-h.life.Done():
		return context.Cause(h.life)
	}
	defer func() { <-h.renewing }()
	if h.session() != gone {
		return nil
	}
	if err := h.initialize(ctx); err != nil {
		return err
	}
	h.told.Changed("tools") // the server may have been restarted with other tools
	return nil
}

// send is the send of transport.
func (h *httpSession) send(ctx context.Context, method string, params any, progress func(Progress)) (json.RawMessage, error) {
	r, params := h.number(params, progress)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(h.life, stop)()
	res, err := h.post(ctx, message{ID: r.rawID(), Method: method, Params: params})
	var raw json.RawMessage
	if err == nil {
		raw, err = h.read(ctx, res, r)
	}
	if err != nil && ctx.Err() != nil && method != MethodInitialize {
		h.cancelled(r)
		return nil, context.Cause(ctx)
	}
	if method == MethodListTools && err == nil {
		h.learnHeaders(raw)
	}
	return raw, err
}

// cancelled tells the server that golem does not wait for a request any more. From
// Stateless on, the end of the connection says so.
func (h *httpSession) cancelled(r request) {
	if h.revision() >= Stateless {
		return
	}
	ctx, stop := context.WithTimeout(h.life, closing)
	defer stop()
	_ = h.notify(ctx, message{Method: NotificationCancelled, Params: map[string]any{"requestId": r.id}}) // the server may be gone
}

// notify sends a message that has no answer.
func (h *httpSession) notify(ctx context.Context, m message) error {
	res, err := h.post(ctx, m)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// reply answers a request of the server, which came while golem waited in ctx.
func (h *httpSession) reply(ctx context.Context, m message) {
	ctx, stop := context.WithTimeout(ctx, closing)
	defer stop()
	defer context.AfterFunc(h.life, stop)()
	_ = h.notify(ctx, m) // the server may not wait for the answer
}

// post sends a message and checks the status of the response. The caller must close its
// body.
func (h *httpSession) post(ctx context.Context, m message) (*http.Response, error) {
	body, err := m.encode()
	if err != nil {
		return nil, err
	}
	req, err := h.request(ctx, http.MethodPost, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if h.revision() >= Stateless {
		h.describe(req.Header, m)
	}
	if m.Method == MethodInitialize {
		req.Header.Del(SessionHeader)
		req.Header.Del(RevisionHeader)
	}
	res, err := h.do.Do(req)
	if err != nil {
		return nil, h.unreachable(err)
	}
	if err := h.status(req, res); err != nil {
		res.Body.Close()
		return nil, err
	}
	if m.Method == MethodInitialize {
		h.state.Lock()
		h.id = res.Header.Get(SessionHeader)
		h.state.Unlock()
	}
	res.Body = &shallow{ReadCloser: res.Body}
	return res, nil
}

func (h *httpSession) request(ctx context.Context, method string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, h.server.URL, body)
	if err != nil {
		return nil, fault.New(fault.Config, "the url of the MCP server %s cannot be used", h.server.Name)
	}
	for name, value := range h.server.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	h.state.Lock()
	session := h.id
	h.state.Unlock()
	revision := h.revision()
	if session != "" && revision < Stateless {
		req.Header.Set(SessionHeader, session)
	}
	if revision != "" {
		req.Header.Set(RevisionHeader, revision)
	}
	return req, nil
}

// status returns nil for a response with a 2xx status, otherwise errGone or a fault with
// the server's text.
func (h *httpSession) status(req *http.Request, res *http.Response) error {
	code := res.StatusCode
	if code >= 200 && code < 300 {
		return nil
	}
	session := req.Header.Get(SessionHeader) // h.id may be another one by now
	words := errorText(res.Body)
	if unknown := strings.Contains(strings.ToLower(words), "session"); session != "" && (code == http.StatusNotFound || code == http.StatusBadRequest && unknown) {
		return fmt.Errorf("%w: %s", errGone, words)
	}
	f := StatusFault(h.server.Name, code, res.Header.Get("Location"))
	if words != "" {
		f.Message += ": " + words
	}
	return &refusal{f, code}
}

// errorText returns the text in the body of an error response: the message of a JSON-RPC error,
// else the complete body. It returns "" for HTML.
func errorText(body io.Reader) string {
	data, _ := io.ReadAll(io.LimitReader(body, 16<<10)) // after an error, use what was read
	text := string(bytes.TrimSpace(data))
	if all, err := decode(data); err == nil && len(all) > 0 && fields(all[0].Error)["message"] != nil {
		_, problem := all[0].outcome()
		text = problem.(*ServerError).Message
	}
	if strings.HasPrefix(text, "<") {
		return ""
	}
	return Plain(text, 300)
}

// StatusFault returns the fault for the HTTP status of a server's response. location is
// where a redirect leads; "" if that is not known, as in web pages.
func StatusFault(server string, code int, location string) *fault.Fault {
	f := fault.New(fault.Network, "the MCP server %s answered with the HTTP status %d", server, code)
	switch {
	case code >= 300 && code < 400 && location != "":
		f.Message += ", a redirect to " + Plain(location, 300)
		return f.Hinting("golem does not follow redirects: if you trust that address, write it as url in toolsets.mcp.%s", server)
	case code >= 300 && code < 400:
		return f.Hinting("golem does not follow redirects: write the address that the server has now")
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return f.Hinting("it wants a key: headers: {Authorization: {secret: NAME}} in toolsets.mcp.%s; to sign in instead, use golem mcp login in a terminal", server)
	case code == http.StatusNotFound || code == http.StatusMethodNotAllowed:
		return f.Hinting("check the path in url: many servers end in /mcp; one that speaks only the transport SSE of 2024 cannot be used")
	}
	return f
}

func (h *httpSession) unreachable(err error) error {
	var f *fault.Fault
	if errors.As(err, &f) {
		return f
	}
	return fault.New(fault.Network, "the MCP server %s cannot be reached: %s", h.server.Name, Plain(err.Error(), 300)).
		Hinting("check url in toolsets.mcp.%s, and that the server runs", h.server.Name)
}

// Close ends the session, also at the server if it can still be reached.
func (h *httpSession) Close() error {
	h.state.Lock()
	session := h.id
	h.state.Unlock()
	h.end()
	h.streams.Wait()
	if session == "" {
		return nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(h.life), closing)
	defer stop()
	req, err := h.request(ctx, http.MethodDelete, nil)
	if err != nil {
		return err
	}
	if res, err := h.do.Do(req); err == nil { // a server may refuse it or be gone
		return res.Body.Close()
	}
	return nil
}
