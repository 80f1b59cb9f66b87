package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"golem/core/fault"
)

// forgetful is a server that forgets its first session when two requests are under way.
type forgetful struct {
	mu       sync.Mutex
	sessions int
	meet     bool // answers two requests only when both are there
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
		result = `{"protocolVersion":"` + Latest + `","capabilities":{}}`
	case "ping":
		if r.Header.Get("Mcp-Session-Id") == "1" {
			s.both.Done()
			if s.meet {
				s.both.Wait()
			}
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
	server := &forgetful{meet: true}
	server.both.Add(2)
	var changes int
	s, err := HTTP{server, "test"}.Dial(context.Background(), Server{Name: "s", URL: "https://scripted.example"}, &changeCount{n: &changes})
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

// late answers a ping in the ended session only while the handshake of the next one is under
// way.
type late struct {
	forgetful
	inits          int
	begun, refused chan struct{}
}

func (s *late) Do(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		return s.forgetful.Do(r)
	}
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(data))
	isLate := strings.Contains(string(data), `"late"`) && r.Header.Get("Mcp-Session-Id") == "1"
	if isLate {
		<-s.begun
		defer close(s.refused)
	}
	if strings.Contains(string(data), `"initialize"`) {
		if s.inits++; s.inits == 2 {
			close(s.begun)
			<-s.refused
		}
	}
	return s.forgetful.Do(r)
}

// A request that learns that the session has ended while another request starts the next
// session is sent again in that one.
func TestSessionEndsDuringAHandshake(t *testing.T) {
	for range 20 {
		server := &late{begun: make(chan struct{}), refused: make(chan struct{})}
		server.both.Add(2)
		s, err := HTTP{server, "test"}.Dial(context.Background(), Server{Name: "s", URL: "https://scripted.example"}, &changeCount{n: new(int)})
		if err != nil {
			t.Fatal(err)
		}
		var done sync.WaitGroup
		for _, what := range []string{"at once", "late"} {
			done.Go(func() {
				if _, err := s.Request(context.Background(), "ping", map[string]any{"what": what}, nil); err != nil {
					t.Errorf("%s: %v", what, err)
				}
			})
		}
		done.Wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// changeCount counts the changes of a server's lists.
type changeCount struct{ n *int }

func (c *changeCount) Changed(string)    { *c.n++ }
func (c *changeCount) Warn(*fault.Fault) {}
