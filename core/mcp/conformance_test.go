package mcp_test

import (
	"testing"

	"golem/core/mcp"
	"golem/core/mcp/mcptest"
)

// The session of this package, which the page uses, passes the same suite as the native
// session (cmd/cli). The test runs natively and as js/wasm.
func TestHTTPSession(t *testing.T) {
	mcptest.Suite(t, func(t *testing.T, s *mcptest.Server) *mcp.Connection {
		host := mcp.Host{Dialer: mcp.HTTP{Doer: mcptest.Doer{"scripted.example": s}, Version: "test"}}
		return host.Connect(mcp.Server{Name: "scripted", URL: "https://scripted.example/mcp", Headers: map[string]string{"Authorization": "Bearer x"}})
	})
}
