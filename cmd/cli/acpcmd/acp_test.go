package acpcmd

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	acp "github.com/coder/acp-go-sdk"
)

// writing is a project whose worker reads a file and changes it, and then answers.
var writing = map[string]string{
	"project.yaml": "name: p\n",
	"main.worker":  "---\nmode: chat\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\n---\nWrite.\n",
	"notes/a.md":   "one\ntwo\nthree\n",
	"s.yaml": "script: 1\nworkers:\n  main:\n    - calls: [{tool: read_file, args: {path: /notes/a.md}}]\n    - calls: [{tool: edit_file, args: {path: /notes/a.md, old: two, new: TWO}}]\n" +
		"    - say: changed it\n    - say: second answer\n",
}

// A prompt streams the answer; calls are shown with kind, place and difference; the question
// comes with all that it covers, and golem's answers.
func TestAPromptWithACall(t *testing.T) {
	dir := files(t, writing)
	e := newEditor(t, dir, "")
	s := e.begin(dir)
	if got := e.say(s.SessionId, "go"); got != acp.StopReasonEndTurn {
		t.Fatalf("%s", got)
	}
	note := filepath.Join(dir, "notes", "a.md")
	if data, _ := os.ReadFile(note); string(data) != "one\nTWO\nthree\n" {
		t.Errorf("%q\n%s", data, e.seen(s.SessionId))
	}
	got := e.seen(s.SessionId)
	for _, want := range []string{
		`"kind":"read","locations":[{"path":"` + note + `"}],"rawInput":{"path":"/notes/a.md"}`, `"kind":"edit"`, `"status":"in_progress","title":"edit_file(path: \"/notes/a.md\"`,
		`"newText":"one\nTWO\nthree\n","oldText":"one\ntwo\nthree\n","path":"` + note + `","type":"diff"`, `"line":2,"path":"`, `"status":"completed"`, "agent: changed it",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nis not in\n%s", want, got)
		}
	}
	if len(e.asked) != 1 {
		t.Fatalf("%d questions", len(e.asked))
	}
	q := e.asked[0]
	var options []string
	for _, o := range q.Options {
		options = append(options, string(o.OptionId)+" "+string(o.Kind))
	}
	if want := "yes allow_once, no reject_once, session allow_always, always allow_always, keep allow_always, never reject_always"; strings.Join(options, ", ") != want {
		t.Errorf("%q", options)
	}
	if q.ToolCall.ToolCallId != "0.2" || len(q.ToolCall.Content) < 2 || q.ToolCall.Content[0].Diff == nil || *q.ToolCall.Content[0].Diff.OldText != "one\ntwo\nthree\n" || q.ToolCall.Locations[0].Path != note {
		t.Errorf("%+v", q.ToolCall)
	}
	if text := q.ToolCall.Content[1].Content.Content.Text.Text; !strings.Contains(text, "edit_file /notes/a.md") || !strings.Contains(text, "Risk: ") || !strings.Contains(text, `TWO`) {
		t.Errorf("%s", text)
	}
	e.forget()
	if e.say(s.SessionId, "again"); e.seen(s.SessionId) != "agent: second answer" {
		t.Errorf("%s", e.seen(s.SessionId))
	}
}

// A no, an answer that is none of the options, a cancelled question and an error all keep the
// call from running.
func TestOnlyAYesApproves(t *testing.T) {
	for name, answer := range map[string]func(acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error){
		"no": chooses("no"), "unknown": chooses("approve_everything"), "empty": chooses(""),
		"cancelled": func(acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
			return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
		},
		"error": func(acp.RequestPermissionRequest) (out acp.RequestPermissionResponse, err error) {
			return out, acp.NewMethodNotFound("session/request_permission")
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := files(t, writing)
			e := newEditor(t, dir, "")
			e.answer = answer
			s := e.begin(dir)
			e.say(s.SessionId, "go")
			if data, _ := os.ReadFile(filepath.Join(dir, "notes", "a.md")); string(data) != writing["notes/a.md"] {
				t.Errorf("%q", data)
			}
			if got := e.seen(s.SessionId); !strings.Contains(got, `"status":"failed"`) || !strings.Contains(got, "agent: changed it") {
				t.Errorf("%s", got)
			}
		})
	}
}

// A conversation is listed, loaded in another process with all that was said, and goes on.
func TestLoadAConversation(t *testing.T) {
	dir, home := files(t, writing), t.TempDir()
	e := newEditor(t, dir, home)
	s := e.begin(dir)
	e.say(s.SessionId, "go")
	e.to.Close()
	<-e.Done()
	e = newEditor(t, dir, home)
	list, err := e.ListSessions(t.Context(), acp.ListSessionsRequest{Cwd: &dir})
	if err != nil || len(list.Sessions) != 1 || list.Sessions[0].SessionId != s.SessionId || *list.Sessions[0].Title != "go" || list.Sessions[0].Cwd != dir {
		t.Fatalf("%+v %v", list, err)
	}
	if _, err := e.LoadSession(t.Context(), acp.LoadSessionRequest{Cwd: dir, SessionId: s.SessionId, McpServers: []acp.McpServer{}}); err != nil {
		t.Fatal(err)
	}
	got := e.seen(s.SessionId)
	for _, want := range []string{"user: go\n", `"title":"read_file(path: \"/notes/a.md\")"`, `"status":"completed"`, "agent: changed it", `"name":"undo"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nis not in\n%s", want, got)
		}
	}
	e.forget()
	if e.say(s.SessionId, "more"); !strings.Contains(e.seen(s.SessionId), "agent: second answer") {
		t.Errorf("%s", e.seen(s.SessionId))
	}
	if _, err := e.ResumeSession(t.Context(), acp.ResumeSessionRequest{Cwd: dir, SessionId: s.SessionId}); err != nil {
		t.Error(err)
	}
	if _, err := e.LoadSession(t.Context(), acp.LoadSessionRequest{Cwd: dir, SessionId: "../x", McpServers: []acp.McpServer{}}); err == nil {
		t.Error("a path is a session")
	}
}

// The modes are golem's permissions.
func TestModes(t *testing.T) {
	dir := files(t, writing)
	e := newEditor(t, dir, "")
	s := e.begin(dir)
	if s.Modes == nil || s.Modes.CurrentModeId != "ask" || len(s.Modes.AvailableModes) != 3 {
		t.Fatalf("%+v", s.Modes)
	}
	if _, err := e.SetSessionMode(t.Context(), acp.SetSessionModeRequest{SessionId: s.SessionId, ModeId: "yolo"}); err == nil {
		t.Error("an unknown mode is taken")
	}
	if _, err := e.SetSessionMode(t.Context(), acp.SetSessionModeRequest{SessionId: s.SessionId, ModeId: "edits"}); err != nil {
		t.Fatal(err)
	}
	e.say(s.SessionId, "go")
	if data, _ := os.ReadFile(filepath.Join(dir, "notes", "a.md")); string(data) != "one\nTWO\nthree\n" || len(e.asked) != 0 {
		t.Errorf("%q, %d questions", data, len(e.asked))
	}
	e.say(s.SessionId, "/plan")
	if got := e.seen(s.SessionId); !strings.Contains(got, `"currentModeId":"plan"`) || !strings.Contains(got, "only reading runs") {
		t.Errorf("%s", got)
	}
}

// Slash commands are offered, and carried out.
func TestSlashCommands(t *testing.T) {
	dir := files(t, writing)
	e := newEditor(t, dir, "")
	s := e.begin(dir)
	e.until(func() bool { return len(e.updates) > 0 })
	if got := e.seen(s.SessionId); !strings.Contains(got, `"name":"model"`) || strings.Contains(got, `"name":"exit"`) || strings.Contains(got, `"name":"copy"`) {
		t.Errorf("%s", got)
	}
	e.say(s.SessionId, "go")
	for text, want := range map[string]string{
		"/cost": "next request: about", "/tools": "read_file", "/undo": "notes/a.md", "/resume": "the editor opens another conversation", "/nope": "there is no command /nope",
		"/approvals": "no rules are kept", "/clearance": "", "/model": "no provider can list", "/help": "/undo",
	} {
		e.forget()
		e.say(s.SessionId, text)
		if got := e.seen(s.SessionId); !strings.Contains(got, want) {
			t.Errorf("%s: %s", text, got)
		}
	}
	e.forget()
	e.say(s.SessionId, "/exit")
	if e.say(s.SessionId, "after"); !strings.Contains(e.seen(s.SessionId), "agent: second answer") {
		t.Errorf("after /exit: %s", e.seen(s.SessionId))
	}
}

// An answer and what the model reasons come in parts while they arrive; an answer that is cut
// off says so.
func TestStreaming(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, delta := range []string{`"reasoning_content":"let me\u202e see"`, `"content":"Hel"`, `"content":"lo\u001b[2J"`} {
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{%s}}]}\n\n", delta)
		}
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()
	dir := files(t, map[string]string{
		"project.yaml": "name: p\nproviders:\n  here: {base_url: " + server.URL + "}\n", "main.worker": "---\nmode: chat\nmodel: here:m\n---\nTalk.\n",
	})
	e := newEditor(t, dir, "", dir, "--trust")
	s := e.begin(dir)
	reason := e.say(s.SessionId, "go")
	got := e.seen(s.SessionId)
	if reason != acp.StopReasonMaxTokens || !strings.Contains(got, `thought: let me\u{202e} see`) || !strings.Contains(got, `agent: Hello\u{1b}[2J`) || strings.ContainsAny(got, "\x1b\u202e") {
		t.Errorf("%s: %s", reason, got)
	}
}
