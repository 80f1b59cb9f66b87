package coretest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"golem/core/mcp"
	"golem/core/mcp/mcptest"
)

// ServersByHost are new MCP servers of the case: the server NAME is at https://NAME.example.
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

// servers is how a case reaches its MCP servers, in memory. The server NAME is also in the
// place of a command NAME.
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
