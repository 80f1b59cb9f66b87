package main

import (
	"context"
	"net/http"

	"golem/core/fault"
	"golem/core/mcp"
)

// mcpHost returns the functions with which the core reaches MCP servers from this
// machine: it starts commands in root, and connects to other servers over HTTP.
func (h *host) mcpHost(root string) mcp.Host {
	return mcp.Host{Dial: func(ctx context.Context, s mcp.Server, changed func(string)) (mcp.Session, error) {
		if s.URL != "" {
			return mcp.HTTP(h.serverClient(s), buildVersion())(ctx, s, changed)
		}
		p, err := startServer(s, root, h.serverEnvironment(s.Env))
		if err != nil {
			return nil, err
		}
		session, err := mcp.Lines(ctx, s, buildVersion(), changed, p.program())
		if err != nil {
			return nil, &mcp.Silent{Err: err, Words: p.stderr.reason()}
		}
		return session, nil
	}}
}

// serverClient returns the client for a server over HTTP. If the worker's file sets no
// Authorization header, requests carry the token of the person's sign-in.
func (h *host) serverClient(s mcp.Server) *http.Client {
	client := newHTTPClient()
	t := &serverHTTP{server: s, next: client.Transport}
	if store := h.secretStore(); store != nil && !hasAuthorization(s.Headers) {
		t.tokens = &serverTokens{server: s, store: store}
	}
	client.Transport = t
	return client
}

func noCommandInMemory(name string) error {
	return fault.New(fault.Config, "the MCP server %s cannot be used with --sandbox memory, because its command works on the disk", name).
		Hinting("leave out --sandbox memory, or remove the server from toolsets.mcp")
}

func noCommandInPack(name string) error {
	return fault.New(fault.Platform, "the MCP server %s cannot be used in a packed project, because its command works on the disk", name).Hinting(unpackIt)
}
