package acpcmd

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	acp "github.com/coder/acp-go-sdk"
)

// hanging returns a project whose model answers nothing until the request ends. asked gets a
// value for each request that has arrived, and gone one for each that has ended.
func hanging(t *testing.T) (dir string, asked, gone <-chan struct{}) {
	t.Helper()
	a, g := make(chan struct{}, 16), make(chan struct{}, 16)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = r.Body.Read(make([]byte, 1<<20))
		a <- struct{}{}
		<-r.Context().Done()
		g <- struct{}{}
	}))
	t.Cleanup(server.Close)
	return files(t, map[string]string{
		"project.yaml": "name: p\nproviders:\n  slow: {base_url: " + server.URL + "}\n",
		"main.worker":  "---\nmode: chat\nmodel: slow:m\n---\nTalk.\n",
	}), a, g
}

// A cancel ends a prompt whose model does not answer, and the session goes on.
func TestCancelAModelThatHangs(t *testing.T) {
	dir, asked, gone := hanging(t)
	e := newEditor(t, dir, "", dir, "--trust")
	s := e.begin(dir)
	for range 2 {
		ended := make(chan acp.StopReason)
		go func() { ended <- e.say(s.SessionId, "go") }()
		<-asked
		for range 50 { // a storm of them
			if err := e.Cancel(t.Context(), acp.CancelNotification{SessionId: s.SessionId}); err != nil {
				t.Fatal(err)
			}
		}
		if got := <-ended; got != acp.StopReasonCancelled {
			t.Fatalf("%s", got)
		}
		<-gone
	}
}

// A cancel ends a prompt whose question is open; the late answer counts for nothing.
func TestCancelAnOpenQuestion(t *testing.T) {
	dir := files(t, writing)
	e := newEditor(t, dir, "")
	release := make(chan struct{})
	e.answer = func(r acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
		<-release
		return chooses("yes")(r)
	}
	s := e.begin(dir)
	ended := make(chan acp.StopReason)
	go func() { ended <- e.say(s.SessionId, "go") }()
	e.until(func() bool { return len(e.asked) > 0 })
	if err := e.Cancel(t.Context(), acp.CancelNotification{SessionId: s.SessionId}); err != nil {
		t.Fatal(err)
	}
	if got := <-ended; got != acp.StopReasonCancelled {
		t.Fatalf("%s", got)
	}
	close(release)
	e.forget()
	e.say(s.SessionId, "/cost") // the late answer has come before this one is answered
	if data, _ := os.ReadFile(filepath.Join(dir, "notes", "a.md")); string(data) != writing["notes/a.md"] {
		t.Errorf("%q", data)
	}
}

// A cancel that follows its prompt at once is not lost.
func TestCancelAtOnce(t *testing.T) {
	dir, _, _ := hanging(t)
	r, _ := newRaw(t, dir, dir, "--trust")
	id := r.begin(dir)
	for i := range 20 {
		r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"p%d","method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"go"}]}}`, i, id))
		r.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`, id))
		if m := r.next(); m.ID != fmt.Sprintf("p%d", i) || string(m.Result) != `{"stopReason":"cancelled"}` {
			t.Fatalf("%+v %s", m, m.Result)
		}
	}
}

// Sessions work at the same time; a session answers one prompt at a time.
func TestSeveralSessions(t *testing.T) {
	slow, asked, _ := hanging(t)
	fast := files(t, writing)
	e := newEditor(t, fast, "", slow, "--trust")
	one, two := e.begin(slow), e.begin(fast)
	var wg sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	wg.Go(func() {
		_, _ = e.Prompt(ctx, acp.PromptRequest{SessionId: one.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("go")}})
	})
	<-asked
	_, err := e.Prompt(t.Context(), acp.PromptRequest{SessionId: one.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("beside")}})
	if err == nil || !strings.Contains(err.Error(), "answers another prompt") {
		t.Errorf("%v", err)
	}
	if _, err := e.SetSessionConfigOption(t.Context(), acp.SetSessionConfigOptionRequest{ValueId: &acp.SetSessionConfigOptionValueId{SessionId: one.SessionId, ConfigId: "model", Value: "script:x"}}); err == nil {
		t.Error("the model changes during an answer")
	}
	if got := e.say(two.SessionId, "go"); got != acp.StopReasonEndTurn || !strings.Contains(e.seen(two.SessionId), "changed it") {
		t.Errorf("%s %s", got, e.seen(two.SessionId))
	}
	stop() // the SDK sends $/cancel_request
	wg.Wait()
	for busy := true; busy; { // the client did not wait for the end of the answer
		_, err := e.Prompt(t.Context(), acp.PromptRequest{SessionId: one.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("/cost")}})
		if busy = err != nil; busy && !strings.Contains(err.Error(), "E_BUSY") {
			t.Fatal(err)
		}
	}
	if _, err := e.CloseSession(t.Context(), acp.CloseSessionRequest{SessionId: two.SessionId}); err != nil {
		t.Error(err)
	}
	if _, err := e.Prompt(t.Context(), acp.PromptRequest{SessionId: two.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("go")}}); err == nil {
		t.Error("a closed session answers")
	}
}

// The end of input stops what runs, and the conversation is kept.
func TestEndOfInput(t *testing.T) {
	dir, asked, gone := hanging(t)
	home := t.TempDir()
	to, from, ended := agentOf(t, dir, home, dir, "--trust")
	e := connected(t, to, from)
	s := e.begin(dir)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = e.Prompt(t.Context(), acp.PromptRequest{SessionId: s.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("remember this")}})
	}()
	<-asked
	to.Close()
	<-ended
	<-gone
	<-done
	e = newEditor(t, dir, home, dir, "--trust")
	if _, err := e.LoadSession(t.Context(), acp.LoadSessionRequest{Cwd: dir, SessionId: s.SessionId, McpServers: []acp.McpServer{}}); err != nil || !strings.Contains(e.seen(s.SessionId), "user: remember this") {
		t.Errorf("%v %s", err, e.seen(s.SessionId))
	}
}
