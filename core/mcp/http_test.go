package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// forgetful is a server that forgets its first session when two requests are under way.
type forgetful struct {
	mu       sync.Mutex
	sessions int
	both     sync.WaitGroup
}

func (s *forgetful) Do(r *http.Request) (*http.Response, error) {
	res := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: http.NoBody, Request: r}
	if r.Body == nil {
		return res, nil
	}
	var in message
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return nil, err
	}
	result := `{}`
	switch in.Method {
	case "initialize":
		s.mu.Lock()
		s.sessions++
		res.Header.Set("Mcp-Session-Id", fmt.Sprint(s.sessions))
		s.mu.Unlock()
		result = `{"protocolVersion":"` + versions[0] + `","capabilities":{}}`
	case "ping":
		if r.Header.Get("Mcp-Session-Id") == "1" {
			s.both.Done()
			s.both.Wait()
			res.StatusCode = http.StatusNotFound
			return res, nil
		}
	default:
		res.StatusCode = http.StatusAccepted
		return res, nil
	}
	res.Body = io.NopCloser(strings.NewReader(`{"jsonrpc":"2.0","id":` + string(in.ID) + `,"result":` + result + `}`))
	return res, nil
}

// Two requests that find the session ended start one other session together.
func TestOneNewSession(t *testing.T) {
	server := &forgetful{}
	server.both.Add(2)
	var changes int
	s, err := HTTP(server, "test")(context.Background(), Server{Name: "s", URL: "https://scripted.example"}, func(string) { changes++ })
	if err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	for range 2 {
		done.Go(func() {
			if _, err := s.Request(context.Background(), "ping", nil, nil); err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	if server.sessions != 2 || changes != 1 {
		t.Errorf("%d sessions and %d changes, want 2 and 1", server.sessions, changes)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
