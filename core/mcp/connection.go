package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golem/core/fault"
)

// ErrClosed is wrapped by the error of a request if the connection does not work any more.
var ErrClosed = errors.New("the connection is closed")

// ErrUnreadable is wrapped by the error of a request if its answer cannot be decoded.
var ErrUnreadable = errors.New("it sent something that golem cannot read")

// starting is the timeout for the handshake. It is long, because some servers are installed
// when they are started.
const starting = time.Minute

// Host has the platform's functions for reaching servers. The zero value reaches none.
type Host struct {
	Dial Dial
	// NoCommand returns the error for a server with a command; name is the server's. nil:
	// the platform can start commands.
	NoCommand func(name string) error
}

// Accepts returns E_PLATFORM if the platform cannot reach a server.
func (h Host) Accepts(name string, c Config) error {
	switch {
	case h.Dial == nil:
		return fault.New(fault.Platform, "this platform has no MCP servers").Hinting("remove toolset mcp")
	case c.Command != "" && h.NoCommand != nil:
		return h.NoCommand(name)
	}
	return nil
}

// Connection is a session that starts with the first request, and starts again after it
// broke. It is safe for concurrent use. The caller must call Close.
type Connection struct {
	server  Server
	dial    Dial
	changes atomic.Int64

	mu      sync.Mutex
	session Session // the open session, or nil
	last    Session // the newest session, also after it broke; nil: there was none
	closed  bool
}

// Connect returns a connection to a server. Nothing is sent yet.
func (h Host) Connect(s Server) *Connection { return &Connection{server: s, dial: h.Dial} }

// Client returns a client that uses this connection.
func (c *Connection) Client() Client { return Client{Name: c.server.Name, Session: c} }

// Changes returns a number that grows when the server's lists may have changed.
func (c *Connection) Changes() int64 { return c.changes.Load() }

// Open starts the session, unless one is open. It returns E_TIMEOUT if the server does not
// answer within a minute.
func (c *Connection) Open(ctx context.Context) error {
	_, err := c.open(ctx)
	return err
}

func (c *Connection) open(ctx context.Context) (Session, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, fault.New(fault.Interrupted, "the run has ended")
	}
	if c.session != nil {
		return c.session, nil
	}
	if c.server.Ready != nil {
		if err := c.server.Ready(ctx); err != nil {
			return nil, err
		}
	}
	limited, stop := context.WithTimeout(ctx, starting)
	defer stop()
	s, err := c.dial(limited, c.server, func(string) { c.changes.Add(1) })
	switch {
	case err == nil:
		if c.last != nil { // the server may offer other tools in the new session
			c.changes.Add(1)
		}
		c.session, c.last = s, s
		return s, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case limited.Err() != nil:
		return nil, fault.New(fault.Timeout, "the MCP server %s did not answer within %v", c.server.Name, starting).
			Hinting("start the server by hand to see what it waits for")
	}
	return nil, Fault(c.server.Name, "the beginning of the session", err)
}

// Request sends a request, and starts a session before if none is open. It does not send a
// request again if the connection breaks.
func (c *Connection) Request(ctx context.Context, method string, params any, progress func(Progress)) (json.RawMessage, error) {
	s, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	raw, err := s.Request(ctx, method, params, progress)
	if errors.Is(err, ErrClosed) {
		c.forget(s)
	}
	return raw, err
}

// forget closes a session that does not work; the next request starts another one. It counts
// as a change, because the new session may offer other tools.
func (c *Connection) forget(s Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == s {
		c.session = nil
		c.changes.Add(1)
		_ = s.Close() // an error is expected from a broken session
	}
}

// Has reports whether the newest session has what: "tools", "resources" or "prompts". It
// returns false before the first session.
func (c *Connection) Has(what string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last != nil && c.last.Has(what)
}

// Close ends the session. Later requests return E_INTERRUPTED.
func (c *Connection) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.session == nil {
		return nil
	}
	s := c.session
	c.session = nil
	return s.Close()
}
