package mcp_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golem/core/fault"
	"golem/core/mcp"
	"golem/core/mcp/mcptest"
)

// overMemory connects to a handler in memory with the session of this package.
func overMemory(t *testing.T, h http.Handler) *mcp.Connection {
	elsewhere := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host is asked") })
	host := mcp.Host{Dialer: mcp.HTTP{Doer: mcptest.Doer{"scripted.example": h, "elsewhere.example": elsewhere}, Version: "test"}}
	return host.Connect(mcp.Server{Name: "scripted", URL: "https://scripted.example/mcp"})
}

// Calls to servers that break the protocol return faults with a code (SECURITY 22).
func TestHostileServers(t *testing.T) {
	mcptest.Hostile(t, overMemory)
}

// golem refuses a server's requests to use the model, to ask the person or to list
// directories.
func TestServersAskForNothing(t *testing.T) {
	for want, got := range mcptest.Refuses(t.Context(), t, overMemory) {
		if !strings.Contains(got, "-32601") {
			t.Errorf("%s: %s", want, got)
		}
	}
}

// Open waits one minute for a server that begins its answer but does not complete it.
func TestSlowServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := overMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusOK)
			_, _ = w.Write([]byte("{")) // the client sees that it is not all
			<-r.Context().Done()
		}))
		begun := time.Now() // on the clock of synctest
		if err := c.Open(t.Context()); !errors.Is(err, fault.Timeout) || time.Since(begun) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}
