package acpcmd

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The trace of a session goes to the collector of --otlp when the chat ends, without contents.
func TestTracesOfSessionsAreSent(t *testing.T) {
	got := make(chan string, 8)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			body = []byte(err.Error())
		}
		got <- string(body)
		_, _ = io.WriteString(w, "{}")
	}))
	defer server.Close()
	dir := files(t, writing)
	e := newEditor(t, dir, "", "--otlp", server.URL)
	s := e.begin(dir)
	e.say(s.SessionId, "go")
	e.to.Close()
	sent := <-got
	for _, want := range []string{"invoke_agent", "execute_tool edit_file", string(s.SessionId)} {
		if !strings.Contains(sent, want) {
			t.Errorf("%s is not in\n%s", want, sent)
		}
	}
	if strings.Contains(sent, "changed it") {
		t.Errorf("contents were sent:\n%s", sent)
	}
}
