package acpcmd

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	acp "github.com/coder/acp-go-sdk"
)

// What is no message is answered with an error, and the connection goes on.
func TestHostileLines(t *testing.T) {
	dir := files(t, writing)
	r, ended := newRaw(t, dir)
	for line, code := range map[string]int{
		`{"jsonrpc":"2.0","id":1,`: -32700, `[]`: -32600, `[{"jsonrpc":"2.0","id":1,"method":"initialize"}]`: -32600, `"x"`: -32600, `{}`: -32600, `{"id":null}`: -32600,
		`{"jsonrpc":"2.0","id":1,"method":""}`: -32600, `{"id":1,"method":7}`: -32600, strings.Repeat("[", 20_000): -32700, "\x00": -32700,
		`{"jsonrpc":"2.0","id":9,"method":"session/new","params":{"cwd":"` + strings.Repeat("a", maxMessage) + `"}}`: -32600,
		`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}`:                       -32600, // before initialize
		`{"jsonrpc":"2.0","id":3,"method":"session/everything"}`:                                                     -32601,
		`{"jsonrpc":"2.0","id":4,"method":"initialize","params":[]}`:                                                 -32602,
		`{"jsonrpc":"2.0","id":5,"method":"initialize"}`:                                                             -32602,
		`{"jsonrpc":"2.0","id":6,"method":"_zed/x","params":{}}`:                                                     -32601,
		`{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"sessionId":7}}`:                                -32602,
		`{"jsonrpc":"2.0","id":8,"method":"session/prompt","params":{"sessionId":"x","prompt":[]}}`:                  -32002,
	} {
		r.send(line)
		if m := r.next(); m.Error == nil || m.Error.Code != code {
			t.Errorf("%.80s: %+v", line, m.Error)
		}
	}
	for _, line := range []string{ // nobody waits for these
		"", "   ", `{"jsonrpc":"2.0","id":77,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}`, `{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"x"}}`,
		`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"none"}}`, `{"jsonrpc":"2.0","method":"session/cancel"}`, `{"jsonrpc":"2.0","method":"_x/y"}`,
		`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":5}}`, `{"jsonrpc":"2.0","method":"$/cancel_request"}`, `{"jsonrpc":"2.0","method":"nope"}`,
	} {
		r.send(line)
	}
	for range 3000 {
		r.send(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"none"}}`)
	}
	if id := r.begin(dir); id == "" {
		t.Error("no session")
	}
	r.to.Close()
	<-ended
}

// A cwd must be an existing directory, named by an absolute path.
func TestHostileCwd(t *testing.T) {
	dir := files(t, writing)
	e := newEditor(t, dir, "")
	for _, cwd := range []string{"", ".", "..", "notes", "../" + filepath.Base(dir), filepath.Join(dir, "none"), filepath.Join(dir, "main.worker"), dir + "\x00", dir + "\n", "/" + strings.Repeat("a/", 4000), "file://" + dir} {
		if s, err := e.NewSession(t.Context(), acp.NewSessionRequest{Cwd: cwd, McpServers: []acp.McpServer{}}); err == nil {
			t.Errorf("%.60q: %+v", cwd, s)
		}
	}
}

// With DIR, a link or .. out of it leads to a root of its own: neither the command line's trust
// and approval nor its worker count there.
func TestARootOfItsOwn(t *testing.T) {
	dir := files(t, writing)
	other := files(t, map[string]string{
		"project.yaml": "name: other\n",
		"main.worker":  "---\nmode: chat\nmodel: script:s.yaml\ntoolsets:\n  shell: {}\n---\nRun.\n",
		"s.yaml":       "script: 1\nworkers:\n  main:\n    - calls: [{tool: run_command, args: {command: touch made}}]\n    - say: ended\n",
	})
	if err := os.Symlink(other, filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	e := newEditor(t, dir, "", dir, "--trust", "--approve-all")
	for _, cwd := range []string{filepath.Join(dir, "out"), dir + "/../" + filepath.Base(filepath.Dir(other)) + "/" + filepath.Base(other), other} {
		if _, err := os.Stat(cwd); err != nil {
			continue // the two directories have no common parent
		}
		e.forget()
		e.answer = chooses("no")
		s := e.begin(cwd)
		e.say(s.SessionId, "go")
		if _, err := os.Stat(filepath.Join(other, "made")); err == nil {
			t.Fatalf("%s: the command ran", cwd)
		}
		if len(e.asked) == 0 || s.Modes.CurrentModeId != "ask" {
			t.Errorf("%s: %d questions, %+v", cwd, len(e.asked), s.Modes)
		}
	}
	e.forget()
	inside := e.begin(filepath.Join(dir, "notes"))
	if inside.Modes.CurrentModeId != "approve_all" {
		t.Errorf("%+v", inside.Modes)
	}
	if e.say(inside.SessionId, "go"); len(e.asked) != 0 || !strings.Contains(e.seen(inside.SessionId), "agent: changed it") {
		t.Errorf("%d questions: %s", len(e.asked), e.seen(inside.SessionId))
	}
}

// What a project's files allow beyond its sandbox is asked first, with all of it shown; a no
// ends the prompt, and the next one asks again.
func TestTrustIsAsked(t *testing.T) {
	dir := files(t, map[string]string{
		"project.yaml": "name: other\napproval:\n  tools: {run_command: preApproved}\n",
		"main.worker":  "---\nmode: chat\nmodel: script:s.yaml\ntoolsets:\n  shell: {}\n---\nRun.\n",
		"s.yaml":       "script: 1\nworkers:\n  main:\n    - calls: [{tool: run_command, args: {command: echo hi > made}}]\n    - say: ended\n",
	})
	e := newEditor(t, dir, "")
	e.answer = chooses("no")
	s := e.begin(dir)
	e.say(s.SessionId, "go")
	if _, err := os.Stat(filepath.Join(dir, "made")); err == nil {
		t.Fatal("the command ran")
	}
	if len(e.asked) == 0 || !strings.HasPrefix(string(e.asked[0].ToolCall.ToolCallId), "question-") || !strings.Contains(e.asked[0].ToolCall.Content[0].Content.Content.Text.Text, "run_command") {
		t.Fatalf("%+v", e.asked)
	}
	if kind := e.asked[0].Options[0].Kind; kind != acp.PermissionOptionKindAllowAlways {
		t.Errorf("%s", kind)
	}
}

// Hidden characters in a call do not reach the question.
func TestHiddenCharactersAreShown(t *testing.T) {
	dir := files(t, map[string]string{
		"project.yaml": "name: p\n",
		"main.worker":  "---\nmode: chat\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\n---\nWrite.\n",
		"s.yaml":       "script: 1\nworkers:\n  main:\n    - calls: [{tool: write_file, args: {path: /x.md, content: \"safe\\u202etxt ```\\e[2J\\n\"}}]\n    - say: ended\n",
	})
	e := newEditor(t, dir, "")
	s := e.begin(dir)
	e.say(s.SessionId, "go")
	if len(e.asked) != 1 {
		t.Fatalf("%d questions", len(e.asked))
	}
	last := e.asked[0].ToolCall.Content[len(e.asked[0].ToolCall.Content)-1].Content.Content.Text.Text
	if strings.ContainsAny(last, "\u202e\x1b") || !strings.Contains(last, `\u{202e}`) || !strings.Contains(last, `\u{1b}`) || !strings.HasPrefix(last, "````\n") {
		t.Errorf("%q", last)
	}
	if strings.ContainsAny(*e.asked[0].ToolCall.Title, "\u202e\x1b") {
		t.Errorf("%q", *e.asked[0].ToolCall.Title)
	}
}

// What a prompt brings: text, links that the worker sees by its own path, files and images. No
// path of this machine reaches the model.
func TestPromptParts(t *testing.T) {
	dir := files(t, map[string]string{
		"project.yaml": "name: p\n", "secret.env": "x", "src/a.go": "package a\n", ".env": "KEY=1\n",
		"main.worker": "---\nmode: chat\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\nattachment_policy: {max_attachments: 10}\n---\nRead.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - say: ended\n",
	})
	e := newEditor(t, dir, "")
	s := e.begin(dir)
	png := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n0000"))
	link := func(uri string) acp.ContentBlock { return acp.ResourceLinkBlock("name", uri) }
	text := func(uri, text string) acp.ContentBlock {
		return acp.ResourceBlock(acp.EmbeddedResourceResource{TextResourceContents: &acp.TextResourceContents{Uri: uri, Text: text}})
	}
	prompt := []acp.ContentBlock{
		acp.TextBlock("see "), link("file://" + dir + "/src/a.go#L2:5"), acp.TextBlock(" and "), link("file://" + dir + "/.env"), link("file:///etc/passwd"), link("file://" + dir + "/../../etc/passwd"),
		link("https://example.com/x"), text("file://"+dir+"/src/a.go", "package unsaved\n"), text("zed:///agent/thread", "a thread"), acp.ImageBlock(png, "image/png"),
	}
	res, err := e.Prompt(t.Context(), acp.PromptRequest{SessionId: s.SessionId, Prompt: prompt})
	if err != nil || res.StopReason != acp.StopReasonEndTurn {
		t.Fatalf("%+v %v", res, err)
	}
	e.to.Close()
	<-e.Done()
	runs, _ := filepath.Glob(filepath.Join(dir, ".golem", "runs", "*.jsonl"))
	if len(runs) != 1 {
		t.Fatalf("%q", runs)
	}
	data, err := os.ReadFile(runs[0])
	if err != nil {
		t.Fatal(err)
	}
	var start struct {
		Input string
		Files []struct{ Name string }
	}
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, `"type":"run.start"`) {
			if err := json.Unmarshal([]byte(line), &start); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := "see /src/a.go:2-5 and name (the worker does not see this file)name (the worker does not see this file)name (the worker does not see this file)https://example.com/x/src/a.gothread"
	if start.Input != want || fmt.Sprint(start.Files) != "[{a.go} {thread} {image-3.png}]" || strings.Contains(start.Input, dir) {
		t.Errorf("%q %v", start.Input, start.Files)
	}
}

// Parts that golem does not take, and prompts without content, are errors.
func TestBadPrompts(t *testing.T) {
	dir := files(t, writing)
	e := newEditor(t, dir, "")
	s := e.begin(dir)
	for name, prompt := range map[string][]acp.ContentBlock{
		"audio": {acp.AudioBlock("AAAA", "audio/wav")}, "empty": {}, "blank": {acp.TextBlock(" \n")}, "no base64": {acp.ImageBlock("?", "image/png")},
		"svg": {acp.ImageBlock("AAAA", "image/svg+xml")}, "many": make([]acp.ContentBlock, 0, 1),
	} {
		if name == "many" {
			for range maxBlocks + 1 {
				prompt = append(prompt, acp.TextBlock("x"))
			}
		}
		if _, err := e.Prompt(t.Context(), acp.PromptRequest{SessionId: s.SessionId, Prompt: prompt}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if e.say(s.SessionId, "go"); !strings.Contains(e.seen(s.SessionId), "changed it") {
		t.Error("the session is broken")
	}
}

// A client that goes away in the middle of a message, or that stops reading, ends golem.
func TestClosedPipe(t *testing.T) {
	dir := files(t, writing)
	to, from, ended := agentOf(t, dir, "")
	if _, err := to.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"initia`)); err != nil {
		t.Fatal(err)
	}
	to.Close()
	<-ended
	from.Close()
	to, from, ended = agentOf(t, dir, "")
	from.Close()
	for range 100 {
		if _, err := to.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}` + "\n")); err != nil {
			break
		}
	}
	to.Close()
	<-ended
}
