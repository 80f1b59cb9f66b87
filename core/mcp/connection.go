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

// ErrClosed is in the error of a request whose connection does not work any more.
var ErrClosed = errors.New("the connection is closed")

// ErrUnreadable is in the error of a request whose answer cannot be decoded.
var ErrUnreadable = errors.New("it sent something that golem cannot read")

// starting is how long a server may take until it answers for the first time; some are
// installed when they are started.
const starting = time.Minute

// Host is how a platform reaches servers. The zero value reaches none.
type Host struct {
	Dial Dial
	// NoCommand returns why a server with a command cannot be started, for Server.Name;
	// nil: it can be.
	NoCommand func(name string) error
}

// Accepts fails with E_PLATFORM if the platform cannot reach a server.
func (h Host) Accepts(name string, c Config) error {
	switch {
	case h.Dial == nil:
		return fault.New(fault.Platform, "this platform has no MCP servers").Hinting("remove toolset mcp")
	case c.Command != "" && h.NoCommand != nil:
		return h.NoCommand(name)
	}
	return nil
}

// Connection is a session that is begun with the first request, and begun again when it
// broke. It is safe for concurrent use; Close ends it.
type Connection struct {
	server  Server
	dial    Dial
	changes atomic.Int64

	mu      sync.Mutex
	session Session // nil: none is open
	last    Session // the newest one, also after it broke; nil: there was none
	closed  bool
}

// Connect returns a connection to a server. Nothing is sent yet.
func (h Host) Connect(s Server) *Connection { return &Connection{server: s, dial: h.Dial} }

// Client asks the server of the connection.
func (c *Connection) Client() Client { return Client{Name: c.server.Name, Session: c} }

// Changes counts how often what the server offers may have changed.
func (c *Connection) Changes() int64 { return c.changes.Load() }

// Open begins the session, unless there is one.
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
	limited, stop := context.WithTimeout(ctx, starting)
	defer stop()
	s, err := c.dial(limited, c.server, func(string) { c.changes.Add(1) })
	switch {
	case err == nil:
		if c.last != nil { // the new one may offer other tools
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

// Request sends a request over the session.
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

// forget drops a session that does not work; the next request begins another one. The
// new one may offer other tools.
func (c *Connection) forget(s Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == s {
		c.session = nil
		c.changes.Add(1)
		_ = s.Close() // it is broken
	}
}

// Has tells whether the server has tools, resources or prompts, as it said last; false
// before Open.
func (c *Connection) Has(what string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last != nil && c.last.Has(what)
}

// Close ends the session.
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
