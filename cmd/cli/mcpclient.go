package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"golem/core/fault"
	"golem/core/mcp"
	"time"
)

// mcpHost returns the functions with which the core reaches MCP servers from this
// machine: it starts commands in root, and connects to other servers over HTTP.
func (h *host) mcpHost(root string) mcp.Host {
	return mcp.Host{Dial: func(ctx context.Context, s mcp.Server, changed func(string)) (mcp.Session, error) {
		if s.URL != "" {
			return connectServer(ctx, s.Name, h.serverTransport(s), changed)
		}
		p, err := startServer(s, root, h.serverEnvironment(s.Env))
		if err != nil {
			return nil, err
		}
		session, err := connectServer(ctx, s.Name, p.transport(), changed)
		if err != nil {
			p.end()
			return nil, p.explained(s.Name, err)
		}
		session.(*sdkSession).process = p
		return session, nil
	}}
}

func noCommandInMemory(name string) error {
	return fault.New(fault.Config, "the MCP server %s cannot be used with --sandbox memory, because its command works on the disk", name).
		Hinting("leave out --sandbox memory, or remove the server from toolsets.mcp")
}

func noCommandInPack(name string) error {
	return fault.New(fault.Platform, "the MCP server %s cannot be used in a packed project, because its command works on the disk", name).Hinting(unpackIt)
}

// sdkSession is a session with an MCP server, made with the Go SDK.
type sdkSession struct {
	session *sdk.ClientSession
	process *serverProcess // nil for a server over HTTP

	tokens atomic.Int64
	mu     sync.Mutex
	news   map[string]func(mcp.Progress) // receivers of progress, by progress token
}

var _ mcp.Session = (*sdkSession)(nil)

// protocolVersion is the revision that golem asks for; the server may answer with an
// older one. The page asks for the same revision.
const protocolVersion = "2025-11-25"

func connectServer(ctx context.Context, name string, t sdk.Transport, changed func(string)) (mcp.Session, error) {
	s := &sdkSession{news: map[string]func(mcp.Progress){}}
	if _, ok := t.(*sdk.IOTransport); ok {
		t = inOrder{t, s}
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "golem", Version: buildVersion()}, &sdk.ClientOptions{
		Capabilities:                &sdk.ClientCapabilities{},
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { changed("tools") },
		PromptListChangedHandler:    func(context.Context, *sdk.PromptListChangedRequest) { changed("prompts") },
		ResourceListChangedHandler:  func(context.Context, *sdk.ResourceListChangedRequest) { changed("resources") },
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { s.progress(r.Params) },
	})
	session, err := client.Connect(ctx, t, &sdk.ClientSessionOptions{ProtocolVersion: protocolVersion})
	if err != nil {
		return nil, serverError(name, err)
	}
	s.session = session
	return s, nil
}

// progress passes a notification on to the request that it is about.
func (s *sdkSession) progress(p *sdk.ProgressNotificationParams) {
	s.mu.Lock()
	news := s.news[fmt.Sprint(p.ProgressToken)]
	s.mu.Unlock()
	if news != nil {
		news(mcp.Progress{Done: p.Progress, Total: p.Total, Message: p.Message})
	}
}

// inOrder is a transport that handles progress notifications as soon as they are read.
// The SDK handles notifications concurrently with answers, so that the last progress of
// a call could come after its result. Over HTTP this still happens, because there the
// SDK needs the connection that it made itself.
type inOrder struct {
	sdk.Transport
	session *sdkSession
}

// Connect returns the connection, wrapped so that it handles progress.
func (t inOrder) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return inOrderConnection{c, t.session}, nil
}

type inOrderConnection struct {
	sdk.Connection
	session *sdkSession
}

// Read returns the next message that is not a progress notification.
func (c inOrderConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		m, err := c.Connection.Read(ctx)
		r, ok := m.(*jsonrpc.Request)
		if err != nil || !ok || r.Method != "notifications/progress" {
			return m, err
		}
		p := &sdk.ProgressNotificationParams{}
		if json.Unmarshal(r.Params, p) == nil {
			c.session.progress(p)
		}
	}
}

// Request sends a request with one of the methods that golem uses, and returns its
// result as JSON.
func (s *sdkSession) Request(ctx context.Context, method string, params any, progress func(mcp.Progress)) (json.RawMessage, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, fault.New(fault.ToolInput, "the request cannot be encoded: %w", err)
	}
	var out any
	switch method {
	case "tools/call":
		out, err = s.call(ctx, raw, progress)
	case "ping":
		out, err = struct{}{}, s.session.Ping(ctx, nil)
	case "tools/list":
		out, err = askServer(ctx, raw, s.session.ListTools)
	case "resources/list":
		out, err = askServer(ctx, raw, s.session.ListResources)
	case "resources/read":
		out, err = askServer(ctx, raw, s.session.ReadResource)
	case "prompts/list":
		out, err = askServer(ctx, raw, s.session.ListPrompts)
	case "prompts/get":
		out, err = askServer(ctx, raw, s.session.GetPrompt)
	default:
		return nil, fault.New(fault.Tool, "golem does not send %s", method)
	}
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	return json.Marshal(out)
}

// askServer decodes the parameters of a request and sends it.
func askServer[P, R any](ctx context.Context, raw []byte, send func(context.Context, *P) (R, error)) (any, error) {
	params := new(P)
	if err := json.Unmarshal(raw, params); err != nil {
		return nil, err
	}
	return send(ctx, params)
}

func (s *sdkSession) call(ctx context.Context, raw []byte, progress func(mcp.Progress)) (any, error) {
	var in struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, err
	}
	params := &sdk.CallToolParams{Name: in.Name, Arguments: in.Arguments}
	if progress != nil {
		token := s.tokens.Add(1)
		params.SetProgressToken(token)
		key := fmt.Sprint(token)
		s.mu.Lock()
		s.news[key] = progress
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.news, key)
		}()
	}
	return s.session.CallTool(ctx, params)
}

func (s *sdkSession) failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var own *fault.Fault
	if errors.As(err, &own) { // the SDK wraps golem's own fault
		return own
	}
	var wire *jsonrpc.Error
	switch {
	case errors.As(err, &wire):
		return &mcp.ServerError{Code: int(wire.Code), Message: wire.Message}
	case errors.Is(err, sdk.ErrSessionMissing), ended.MatchString(err.Error()):
		return broken{s.process.last()}
	}
	return broken{plainly(err)} // for any other error, too, the next request connects again
}

// Patterns of the SDK's error texts: for a connection whose other end is gone, and for
// a message that it cannot decode.
var (
	ended     = regexp.MustCompile(`(EOF|pipe|closed|closing|reset by peer)$`)
	undecoded = regexp.MustCompile(`(?i)json|decod|unmarshal|invalid|exceeded (max|the)|too long`)
)

var errEnded = errors.New("the server ended")

// plainly replaces an error of Go's decoder by mcp.ErrUnreadable.
func plainly(err error) error {
	if undecoded.MatchString(err.Error()) {
		return mcp.ErrUnreadable
	}
	return err
}

// broken is the error of a connection that does not work any more.
type broken struct{ error }

// Is reports true for mcp.ErrClosed.
func (broken) Is(target error) bool { return target == mcp.ErrClosed }

// Unwrap returns the reason.
func (b broken) Unwrap() error { return b.error }

// serverError returns the fault of a failed handshake.
func serverError(name string, err error) error {
	var own *fault.Fault
	if errors.As(err, &own) {
		return own
	}
	var wire *jsonrpc.Error
	switch {
	case errors.As(err, &wire):
		err = &mcp.ServerError{Code: int(wire.Code), Message: wire.Message}
	case ended.MatchString(err.Error()):
		err = errEnded
	default:
		err = plainly(err)
	}
	return mcp.Fault(name, "the handshake", err)
}

// Has reports whether the server announced a capability: tools, resources or prompts.
func (s *sdkSession) Has(what string) bool {
	c := s.session.InitializeResult().Capabilities
	switch {
	case c == nil:
		return false
	case what == "tools":
		return c.Tools != nil
	case what == "resources":
		return c.Resources != nil
	}
	return c.Prompts != nil
}

// Close ends the session, and then the server's process with all that it started.
func (s *sdkSession) Close() error {
	if s.process == nil {
		return s.session.Close()
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = s.session.Close() // reports the end of the process as an error
	}()
	select {
	case <-closed:
	case <-time.After(serverGrace): // it waits for a message that the server does not read
	}
	s.process.end()
	<-closed
	return nil
}
