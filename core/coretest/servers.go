package coretest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"golem/core/mcp"
	"golem/core/mcp/mcptest"
)

// ServersByHost returns new MCP servers of the case by host: the server NAME is at
// https://NAME.example.
func (c Case) ServersByHost() (map[string]http.Handler, error) {
	out := map[string]http.Handler{}
	for name, script := range c.Servers {
		var s mcptest.Server
		if err := json.Unmarshal(script, &s); err != nil {
			return nil, fmt.Errorf("mcp/%s.json: %w", name, err)
		}
		out[name+".example"] = &s
	}
	return out, nil
}

// servers returns the connections to the MCP servers of the case, in memory. The server NAME
// also replaces a command NAME.
func (c Case) servers(o *Outcome) mcp.Host {
	do, err := c.ServersByHost()
	if err != nil {
		o.Problems = append(o.Problems, err.Error())
	}
	return mcp.Host{Dialer: byName{mcp.HTTP{Doer: mcptest.Doer(do), Version: "test"}}}
}

// byName connects to the server NAME also for a command NAME.
type byName struct{ mcp.HTTP }

// Dial connects to a server.
func (b byName) Dial(ctx context.Context, s mcp.Server, told mcp.Listener) (mcp.Session, error) {
	if s.URL == "" {
		s.URL = "https://" + s.Command + ".example"
	}
	return b.HTTP.Dial(ctx, s, told)
}
