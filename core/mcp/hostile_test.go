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

// overMemory connects to a handler with the session of this package.
func overMemory(t *testing.T, h http.Handler) *mcp.Connection {
	elsewhere := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host is asked") })
	host := mcp.Host{Dial: mcp.HTTP(mcptest.Doer{"scripted.example": h, "elsewhere.example": elsewhere}, "test")}
	return host.Connect(mcp.Server{Name: "scripted", URL: "https://scripted.example/mcp"})
}

// Servers that do not keep to the protocol end in coded faults (SECURITY 22).
func TestHostileServers(t *testing.T) {
	mcptest.Hostile(t, true, overMemory)
}

// A server may not use the model, ask the person or look at files.
func TestServersAskForNothing(t *testing.T) {
	for want, got := range mcptest.Refuses(t.Context(), t, overMemory) {
		if !strings.Contains(got, "-32601") {
			t.Errorf("%s: %s", want, got)
		}
	}
}

// A server that begins an answer and does not end it is waited for one minute.
func TestSlowServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := overMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusOK)
			_, _ = w.Write([]byte("{")) // the client sees that it is not all
			<-r.Context().Done()
		}))
		begun := time.Now() // of the bubble's own clock
		if err := c.Open(t.Context()); !errors.Is(err, fault.Timeout) || time.Since(begun) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}
