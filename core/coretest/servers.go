package coretest

import (
	"context"
	"encoding/json"
	"fmt"

	"golem/core/mcp"
	"golem/core/mcp/mcptest"
)

// servers is how a case reaches its MCP servers: each is at https://NAME.example, and
// where a worker names a command, in its place.
func (c Case) servers(o *Outcome) mcp.Host {
	do := mcptest.Doer{}
	for name, script := range c.Servers {
		var s mcptest.Server
		if err := json.Unmarshal(script, &s); err != nil {
			o.Problems = append(o.Problems, fmt.Sprintf("mcp/%s.json: %v", name, err))
		}
		do[name+".example"] = &s
	}
	dial := mcp.HTTP(do, "test")
	return mcp.Host{Dial: func(ctx context.Context, s mcp.Server, changed func(string)) (mcp.Session, error) {
		if s.URL == "" {
			s.URL = "https://" + s.Command + ".example"
		}
		return dial(ctx, s, changed)
	}}
}
