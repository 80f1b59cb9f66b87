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
	Guard   Guard         `json:"-"` // nil: every session may start
}

// Guard stands between a run and a server.
type Guard interface {
	// Ready is called before each start of a session; with an error, none is started. It may
	// take long, because it may ask a person.
	Ready(context.Context) error
	// Hide is called with secret values, such as tokens, that the platform sends to the
	// server, so that they can be redacted elsewhere.
	Hide(string)
}

// Listener is told what a server does without being asked. Its methods may be called at any
// time.
type Listener interface {
	// Changed is called when the server says that a list changed ("tools", "resources",
	// "prompts").
	Changed(what string)
	// Warn is called when the server does what the protocol forbids and golem goes on.
	Warn(*fault.Fault)
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

// Dialer connects to servers.
type Dialer interface {
	// Dial connects to a server. The session outlives ctx.
	Dial(ctx context.Context, s Server, told Listener) (Session, error)
}

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

// ErrSignIn is in the chain of the fault of a request that a server refused because the
// person has to sign in, or to give it more rights.
var ErrSignIn = errors.New("a sign-in is wanted")

// faultOf returns the fault for an error of a request: what names the request. A fault is
// returned unchanged.
func faultOf(server, what string, err error) *fault.Fault {
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
