package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golem/core/fault"
)

// ErrClosed is wrapped by the error of a request if the connection does not work any more.
var errClosed = errors.New("the connection is closed")

// starting is the timeout for the handshake. It is long, because some servers are installed
// when they are started.
const starting = time.Minute

// Host has the platform's functions for reaching servers. The zero value reaches none.
type Host struct {
	Dialer Dialer
	// NoCommand returns the error for a server with a command; name is the server's. nil:
	// the platform can start commands.
	NoCommand func(name string) error
}

// Accepts returns E_PLATFORM if the platform cannot reach a server.
func (h Host) Accepts(name string, c Config) error {
	switch {
	case h.Dialer == nil:
		return fault.New(fault.Platform, "this platform has no MCP servers").Hinting("remove toolset mcp")
	case c.Command != "" && h.NoCommand != nil:
		return h.NoCommand(name)
	}
	return nil
}

// Silent is the error of a Dialer for a program that did not begin a session: what the
// program said on its standard error, "" for nothing.
type Silent struct {
	Err   error
	Words string
}

// Error returns the text of Err.
func (s *Silent) Error() string { return s.Err.Error() }

// Unwrap returns Err.
func (s *Silent) Unwrap() error { return s.Err }

// Connection is a session that starts with the first request, and starts again after it
// broke. It is safe for concurrent use. The caller must call Close.
type Connection struct {
	server  Server
	dialer  Dialer
	changes atomic.Int64
	turn    chan struct{} // is full while a session is started
	life    context.Context
	end     context.CancelFunc

	mu       sync.Mutex
	session  Session // the open session, or nil
	last     Session // the newest session, also after it broke; nil: there was none
	warnings fault.List
	closed   bool
}

// Connect returns a connection to a server. Nothing is sent yet.
func (h Host) Connect(s Server) *Connection {
	c := &Connection{server: s, dialer: h.Dialer, turn: make(chan struct{}, 1)}
	c.life, c.end = context.WithCancel(context.Background())
	return c
}

// listener is the Listener of a connection's sessions.
type listener struct{ *Connection }

// Changed counts the changes of the server's lists.
func (c listener) Changed(string) { c.changes.Add(1) }

// Warn keeps a warning for Warnings.
func (c listener) Warn(w *fault.Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.warnings) < maxFlaws {
		c.warnings = append(c.warnings, w)
	}
}

// Warnings returns the warnings since the last call, at most 20.
func (c *Connection) Warnings() fault.List {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.warnings
	c.warnings = nil
	return out
}

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
	if s, err := c.current(); s != nil || err != nil {
		return s, err
	}
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-c.life.Done():
	}
	if c.life.Err() == nil {
		defer func() { <-c.turn }()
	}
	if s, err := c.current(); s != nil || err != nil {
		return s, err
	}
	if c.server.Guard != nil {
		if err := c.server.Guard.Ready(ctx); err != nil {
			return nil, err
		}
	}
	patience := cmp.Or(c.server.Timeout, starting)
	limited, stop := context.WithTimeout(ctx, patience)
	defer stop()
	defer context.AfterFunc(c.life, stop)()
	s, err := c.dialer.Dial(limited, c.server, listener{c})
	if err == nil {
		return s, c.began(s)
	}
	var silent *Silent
	words := ""
	if errors.As(err, &silent) && silent.Words != "" {
		words = "; its program said: " + silent.Words
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case c.life.Err() != nil:
		return nil, runEnded()
	case limited.Err() != nil:
		return nil, fault.New(fault.Timeout, "the MCP server %s did not answer the handshake within %v%s", c.server.Name, patience, words).
			Hinting("start the server by hand to see what it waits for")
	case words != "":
		return nil, fault.New(fault.Tool, "the MCP server %s did not begin a session%s", c.server.Name, words).
			Hinting("start the program by hand to see what is wrong")
	}
	return nil, faultOf(c.server.Name, "the beginning of the session", err)
}

func runEnded() *fault.Fault { return fault.New(fault.Interrupted, "the run has ended") }

// current returns the open session; nil if none is open.
func (c *Connection) current() (Session, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, runEnded()
	}
	return c.session, nil
}

// began stores a new session. If the connection was closed meanwhile, it closes the
// session.
func (c *Connection) began(s Session) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		_ = s.Close() // nobody uses it
		return runEnded()
	}
	if c.last != nil { // the server may offer other tools in the new session
		c.changes.Add(1)
	}
	c.session, c.last = s, s
	return nil
}

// Request sends a request, and starts a session before if none is open. It does not send a
// request again if the connection breaks.
func (c *Connection) Request(ctx context.Context, method string, params any, progress func(Progress)) (json.RawMessage, error) {
	s, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	raw, err := s.Request(ctx, method, params, progress)
	if errors.Is(err, errClosed) {
		c.forget(s)
	}
	return raw, err
}

// forget closes a session that does not work; the next request starts another one. It counts
// as a change, because the new session may offer other tools.
func (c *Connection) forget(s Session) {
	c.mu.Lock()
	mine := c.session == s
	if mine {
		c.session = nil
		c.changes.Add(1)
	}
	c.mu.Unlock()
	if mine {
		_ = s.Close() // an error is expected from a broken session
	}
}

// newest returns the newest session, also after it broke; nil before the first.
func (c *Connection) newest() Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// Has reports whether the newest session has what: "tools", "resources" or "prompts". It
// returns false before the first session.
func (c *Connection) Has(what string) bool {
	s := c.newest()
	return s != nil && s.Has(what)
}

// Instructions returns the instructions of the newest session, "" before the first.
func (c *Connection) Instructions() string {
	if s := c.newest(); s != nil {
		return s.Instructions()
	}
	return ""
}

// Close ends the session, and the beginning of one. Later requests return E_INTERRUPTED.
func (c *Connection) Close() error {
	c.mu.Lock()
	c.closed = true
	s := c.session
	c.session = nil
	c.mu.Unlock()
	c.end()
	if s == nil {
		return nil
	}
	return s.Close()
}
