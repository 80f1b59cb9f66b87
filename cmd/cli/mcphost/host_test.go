package mcphost

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golem/core/mcp"
	"golem/core/mcp/mcptest"

	"golem/cmd/cli/console"
)

// The session with a program passes the suite of core/mcp, over the program's
// standard input and output.
func TestServerProcess(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	mcptest.Suite(t, func(t *testing.T, s *mcptest.Server) *mcp.Connection {
		script, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if s.Cancel != nil {
			close(s.Cancel) // a separate process cannot close it
		}
		return New(console.New(nil, ""), t.TempDir()).Connect(mcp.Server{Name: "scripted", Command: self, Env: map[string]string{scriptedServer: string(script)}})
	})
}

// All progress that a program reports before its answer is shown before the call ends.
func TestServerProgressComesFirst(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var steps []string
	for i := range 50 {
		steps = append(steps, strconv.Itoa(i))
	}
	script, err := json.Marshal(&mcptest.Server{Tools: []mcptest.Tool{{Name: "steps", Progress: steps}}})
	if err != nil {
		t.Fatal(err)
	}
	c := New(console.New(nil, ""), t.TempDir()).Connect(mcp.Server{Name: "scripted", Command: self, Env: map[string]string{scriptedServer: string(script)}})
	defer c.Close()
	if err := c.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	var heard []string
	_, err = c.Client().Call(t.Context(), "steps", json.RawMessage(`{}`), func(p mcp.Progress) { heard = append(heard, p.Message) })
	if err != nil || !slices.Equal(heard, steps) {
		t.Errorf("%v %v", heard, err)
	}
}

// The session over streamable HTTP passes the suite of core/mcp.
func TestServerOverHTTP(t *testing.T) {
	t.Parallel()
	mcptest.Suite(t, func(t *testing.T, s *mcptest.Server) *mcp.Connection {
		site := httptest.NewServer(s)
		t.Cleanup(site.Close)
		return New(console.New(nil, ""), t.TempDir()).Connect(mcp.Server{Name: "scripted", URL: site.URL + "/mcp", Headers: map[string]string{"Authorization": "Bearer x"}})
	})
}

// Servers that break the protocol end in coded faults, and get nothing that golem does
// not offer, over a network too.
func TestHostileServersOverHTTP(t *testing.T) {
	t.Parallel()
	connect := func(t *testing.T, h http.Handler) *mcp.Connection {
		site := httptest.NewServer(h)
		t.Cleanup(func() {
			site.CloseClientConnections()
			site.Close()
		})
		return New(console.New(nil, ""), t.TempDir()).Connect(mcp.Server{Name: "scripted", URL: site.URL + "/mcp"})
	}
	mcptest.Hostile(t, connect)
	for want, got := range mcptest.Refuses(t.Context(), t, connect) {
		if !strings.Contains(got, "-32601") {
			t.Errorf("%s: %s", want, got)
		}
	}
}
