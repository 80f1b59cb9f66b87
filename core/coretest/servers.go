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
	dial := mcp.HTTP(mcptest.Doer(do), "test")
	return mcp.Host{Dial: func(ctx context.Context, s mcp.Server, changed func(string)) (mcp.Session, error) {
		if s.URL == "" {
			s.URL = "https://" + s.Command + ".example"
		}
		return dial(ctx, s, changed)
	}}
}
