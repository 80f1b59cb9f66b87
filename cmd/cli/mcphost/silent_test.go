package mcphost

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golem/core/mcp"
	"golem/core/mcp/mcptest"

	"golem/cmd/cli/console"
)

// A run does not wait for the stream of a server whose gateway holds its headers back, over
// real connections: the tools are listed and called, and the session ends.
func TestServerBehindABufferingGateway(t *testing.T) {
	t.Parallel()
	s := &mcptest.Server{Session: "one", Tools: []mcptest.Tool{{Name: "ok"}}, Changed: []mcptest.Tool{{Name: "new"}}}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			<-r.Context().Done() // the client goes away
			return
		}
		s.ServeHTTP(w, r)
	}))
	defer site.Close()
	c := New(console.New(nil, ""), t.TempDir()).Connect(mcp.Server{Name: "slow", URL: site.URL + "/mcp"})
	if out, err := c.Client().Call(t.Context(), "ok", []byte(`{}`), nil); err != nil || out.Text != "ok {}" {
		t.Errorf("%q %v", out.Text, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// The error for a redirect names where it leads, and the error for a server that cannot be
// reached does not show the query of its address, which may be a key.
func TestErrorsOfAServerOverHTTP(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://elsewhere.example/mcp", http.StatusPermanentRedirect)
	}))
	defer site.Close()
	open := func(address string) string {
		c := New(console.New(nil, ""), t.TempDir()).Connect(mcp.Server{Name: "moved", URL: address})
		defer c.Close()
		err := c.Open(t.Context())
		if err == nil {
			t.Fatal("it is open")
		}
		return err.Error()
	}
	if got := open(site.URL); !strings.Contains(got, "HTTP status 308, a redirect to https://elsewhere.example/mcp") {
		t.Error(got)
	}
	gone := site.URL + "/mcp?key=a-secret-key"
	site.Close()
	if got := open(gone); !strings.Contains(got, "cannot be reached") || strings.Contains(got, "a-secret-key") {
		t.Error(got)
	}
}
