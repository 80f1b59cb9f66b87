package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"golem/core/fault"
	"golem/core/mcp"
	"golem/core/mcp/mcptest"
)

// While one caller waits for a server to begin, another with its own short deadline returns
// at its deadline, and Close ends the waiting of all.
func TestWaitingForAServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := mcp.Host{Dialer: dialer(func(ctx context.Context, _ mcp.Server, _ mcp.Listener) (mcp.Session, error) {
			<-ctx.Done()
			time.Sleep(2 * time.Second) // on the clock of synctest
			return nil, ctx.Err()
		})}.Connect(mcp.Server{Name: "slow"})
		ended := make(chan error)
		go func() { ended <- c.Open(t.Context()) }()
		synctest.Wait()
		short, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer stop()
		begun := time.Now()
		if err := c.Open(short); !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != 50*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		if c.Has("tools") || c.Instructions() != "" {
			t.Error("a server that has not begun has something")
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, fault.Interrupted) {
			t.Error(err)
		}
	})
}

// A server, or what lies before it, need never begin its own stream of events: golem waits
// for no part of it.
func TestStreamThatNeverBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &mcptest.Server{Session: "one", Tools: []mcptest.Tool{{Name: "ok"}}, Changed: []mcptest.Tool{{Name: "new"}}}
		c := overMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				<-r.Context().Done() // without headers
				return
			}
			s.ServeHTTP(w, r)
		}))
		begun := time.Now()
		out, err := c.Client().Call(t.Context(), "ok", json.RawMessage(`{}`), nil)
		if err != nil || out.Text != "ok {}" || time.Since(begun) != 0 {
			t.Errorf("%q %v after %v", out.Text, err, time.Since(begun))
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A long call whose stream the server ends again and again is taken up as long as there is
// progress; without progress, three times.
func TestResumedCalls(t *testing.T) {
	for name, progresses := range map[string]bool{"progress": true, "none": false} {
		t.Run(name, func(t *testing.T) {
			asked, call := 0, ""
			c := overMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					w.Header().Set("Content-Type", "text/event-stream")
					id := 0
					if asked++; progresses {
						id = asked
					}
					if asked < 8 {
						fmt.Fprintf(w, "\xef\xbb\xbfid: %d\nretry: 0\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\n", id)
						return
					}
					fmt.Fprintf(w, "id: %d\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[]}}\n\n", id, call)
					return
				}
				calls(&mcptest.Server{}, func(w http.ResponseWriter, _ *http.Request, id string) {
					call = id
					w.Header().Set("Content-Type", "text/event-stream")
					fmt.Fprint(w, "id: 0\nretry: 0\ndata:\n\n")
				}).ServeHTTP(w, r)
			}))
			defer c.Close()
			_, err := c.Client().Call(t.Context(), "ok", json.RawMessage(`{}`), nil)
			if progresses && (err != nil || asked != 8) || !progresses && (!errors.Is(err, fault.Network) || asked != 3) {
				t.Errorf("asked %d times, %v", asked, err)
			}
		})
	}
}
