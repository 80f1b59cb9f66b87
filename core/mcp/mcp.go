// Package mcp is the client side of the Model Context Protocol: it lists and calls
// the tools of servers, and reads their resources. A server is a program that golem does
// not trust. Everything that it sends is bounded, escaped and marked as untrusted
// (SECURITY 22).
//
// A Session carries requests, over streamable HTTP (HTTP) or over the standard input and
// output of a program (Lines). Both are the same on every platform. Client turns the
// answers into tools and results.
package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"golem/core/fault"
)

// Limits of what a server may send.
const (
	MaxMessage     = 8 << 20   // bytes of one message
	maxTools       = 1000      // tools of one server
	maxFlaws       = 20        // warnings of tools that cannot be offered
	maxPages       = 200       // pages of one list
	maxDescription = 48 << 10  // bytes of a tool's description
	maxSchema      = 128 << 10 // bytes of one schema
	maxList        = 4 << 20   // bytes of all descriptions and schemas of one server
	maxResult      = 4 << 20   // bytes of the texts of one result
	maxParts       = 64        // images, sounds and files of one result
	maxError       = 2 << 10   // bytes of an error's text
)

// Server has the settings for reaching a server: a command that starts it, or a URL.
type Server struct {
	Name    string
	Command string
	Args    []string
	Env     map[string]string
	Cwd     string // of the command, below the project's root; "": the root
	URL     string
	Headers map[string]string
	Timeout time.Duration // how long it may take to begin; 0: one minute
	// Hide is called with secret values, such as tokens, that the platform sends to the
	// server, so that they can be redacted elsewhere. It may be nil.
	Hide func(string) `json:"-"`
	// Ready is called before each start of a session; with an error, none is started. It may
	// be nil, and may take long, because it may ask a person.
	Ready func(context.Context) error `json:"-"`
	// Warn is called when the server does what the protocol forbids and golem goes on. It
	// may be called at any time; nil: warnings are dropped.
	Warn func(*fault.Fault) `json:"-"`
}

// Session is a connection to a server, after the handshake. It is safe for
// concurrent use.
type Session interface {
	// Request sends a request and returns its result. If ctx ends first, the server
	// is told that the request is cancelled. progress may be nil. If the server answers
	// with an error, it is a *ServerError; other errors mean that the connection
	// does not work.
	Request(ctx context.Context, method string, params any, progress func(Progress)) (json.RawMessage, error)
	// Has reports whether the server offers what: "tools", "resources" or "prompts".
	Has(what string) bool
	// Instructions returns what the server says about its use, as it said it; "" if it says
	// nothing.
	Instructions() string
	// Close ends the connection, and the server's process if there is one.
	Close() error
}

// Dial connects to a server. changed is called when the server says that a list
// changed ("tools", "resources", "prompts"); it may be called at any time. The session
// outlives ctx.
type Dial func(ctx context.Context, s Server, changed func(what string)) (Session, error)

// Progress is the server's message about the progress of a request.
type Progress struct {
	Done, Total float64 // Total is 0 if it is not known
	Message     string
}

// ServerError is an error with which a server answered a request.
type ServerError struct {
	Code    int
	Message string
}

// Error returns the server's message, escaped and cut.
func (e *ServerError) Error() string { return Plain(e.Message, maxError) }

// Fault returns the fault for an error of a request: what names the request. A fault is
// returned unchanged.
func Fault(server, what string, err error) *fault.Fault {
	var f *fault.Fault
	if errors.As(err, &f) {
		return f
	}
	var e *ServerError
	if errors.As(err, &e) {
		return fault.New(fault.Tool, "the MCP server %s refused %s: %s", server, what, e.Error())
	}
	return fault.New(fault.Tool, "the MCP server %s failed at %s: %s", server, what, Plain(err.Error(), maxError)).
		Hinting("start the server by hand to see what is wrong, or remove it from toolsets.mcp")
}
