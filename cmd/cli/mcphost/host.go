// Package mcphost reaches MCP servers from this machine: it starts programs, connects over
// HTTP, and signs the person in.
package mcphost

import (
	"context"
	"net/http"

	"golem/core/fault"
	"golem/core/mcp"

	"golem/cmd/cli/console"
	"golem/cmd/cli/fetch"
	"golem/cmd/cli/secretstore"
)

// New returns the functions with which the core reaches MCP servers from this
// machine: it starts commands in root, and connects to other servers over HTTP.
func New(c *console.Console, root string) mcp.Host {
	return mcp.Host{Dialer: dialer{c, root}}
}

// dialer reaches servers from this machine.
type dialer struct {
	console *console.Console
	root    string // where commands are started
}

// Dial starts the server's command, or connects to its URL.
func (d dialer) Dial(ctx context.Context, s mcp.Server, told mcp.Listener) (mcp.Session, error) {
	if s.URL != "" {
		return mcp.HTTP{Doer: serverClient(d.console, s), Version: d.console.Build.Version}.Dial(ctx, s, told)
	}
	p, err := startServer(s, d.root, serverEnvironment(d.console, s.Env))
	if err != nil {
		return nil, err
	}
	session, err := mcp.Lines(ctx, s, d.console.Build.Version, told, p.program())
	if err != nil {
		return nil, &mcp.Silent{Err: err, Words: p.stderr.reason()}
	}
	return session, nil
}

// serverClient returns the client for a server over HTTP. If the worker's file sets no
// Authorization header, requests carry the token of the person's sign-in.
func serverClient(c *console.Console, s mcp.Server) *http.Client {
	client := fetch.NewClient()
	t := &serverHTTP{server: s, next: client.Transport}
	if store := secretstore.Open(c); store != nil && !hasAuthorization(s.Headers) {
		t.tokens = &serverTokens{server: s, store: store}
	}
	client.Transport = t
	return client
}

// NoCommandInMemory returns why a server that is a command cannot be used with files in
// memory.
func NoCommandInMemory(name string) error {
	return fault.New(fault.Config, "the MCP server %s cannot be used with --sandbox memory, because its command works on the disk", name).
		Hinting("leave out --sandbox memory, or remove the server from toolsets.mcp")
}

// NoCommandInPack returns why a server that is a command cannot be used in a packed
// project.
func NoCommandInPack(name string) error {
	return fault.New(fault.Platform, "the MCP server %s cannot be used in a packed project, because its command works on the disk", name).Hinting(console.UnpackIt)
}

// TokenVariable is the environment variable for a token that the person chose, for
// clients whose configuration stores it.
const TokenVariable = "GOLEM_MCP_TOKEN"
