package acpcmd

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	acp "github.com/coder/acp-go-sdk"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// testServer is the variable with which the test program is an MCP server, which makes the file
// that the variable names.
const testServer = "ACP_TEST_SERVER"

func TestMain(m *testing.M) {
	started := os.Getenv(testServer)
	if started == "" {
		os.Exit(m.Run())
	}
	if err := os.WriteFile(started, nil, 0o600); err != nil {
		os.Exit(1)
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "desk", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "lamp", Description: "switches the lamp"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "the lamp is on"}}}, nil, nil
	})
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
	os.Exit(0)
}

// desk returns the test program as a server of the client.
func desk(t *testing.T) (server acp.McpServer, started string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	started = filepath.Join(t.TempDir(), "started")
	return acp.McpServer{Stdio: &acp.McpServerStdio{Name: "desk", Command: program, Args: []string{}, Env: []acp.EnvVariable{{Name: testServer, Value: started}}}}, started
}

var lamp = map[string]string{
	"project.yaml": "name: p\n", "main.worker": "---\nmode: chat\nmodel: script:s.yaml\n---\nSwitch.\n",
	"s.yaml": "script: 1\nworkers:\n  main:\n    - calls: [{tool: desk__lamp, args: {}}]\n    - say: ended\n    - say: second\n",
}

// A server that the client offers starts after a yes that has shown its program, and only
// then; its calls ask. It is asked once.
func TestServersOfTheClient(t *testing.T) {
	dir, home := files(t, lamp), t.TempDir()
	server, started := desk(t)
	e := newEditor(t, dir, home)
	s, err := e.NewSession(t.Context(), acp.NewSessionRequest{Cwd: dir, McpServers: []acp.McpServer{server}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(started); err == nil {
		t.Fatal("the server was started before a question")
	}
	e.say(s.SessionId, "go")
	if got := e.seen(s.SessionId); !strings.Contains(got, "the lamp is on") || len(e.asked) != 3 {
		t.Fatalf("%d questions: %s", len(e.asked), got)
	}
	if text := e.asked[0].ToolCall.Content[0].Content.Content.Text.Text; !strings.Contains(text, server.Stdio.Command) || !strings.Contains(text, "the editor") || !strings.Contains(text, "starts this program") {
		t.Errorf("%s", text)
	}
	e.to.Close()
	<-e.Done()
	e = newEditor(t, dir, home)
	s, err = e.NewSession(t.Context(), acp.NewSessionRequest{Cwd: dir, McpServers: []acp.McpServer{server}})
	if err != nil {
		t.Fatal(err)
	}
	if e.say(s.SessionId, "go"); len(e.asked) != 1 || !strings.Contains(e.seen(s.SessionId), "the lamp is on") {
		t.Errorf("%d questions: %s", len(e.asked), e.seen(s.SessionId))
	}
}

// Without a yes nothing is started, and the worker goes on without the server; so it is for
// golem's own assistant.
func TestServersThatNobodyTrusts(t *testing.T) {
	for name, all := range map[string]map[string]string{"project": lamp, "assistant": {"s.yaml": strings.ReplaceAll(lamp["s.yaml"], "  main:", "  \"*\":")}} {
		t.Run(name, func(t *testing.T) {
			dir := files(t, all)
			server, started := desk(t)
			e := newEditor(t, dir, "", "--model", "script:"+filepath.Join(dir, "s.yaml"))
			e.answer = chooses("no")
			s, err := e.NewSession(t.Context(), acp.NewSessionRequest{Cwd: dir, McpServers: []acp.McpServer{server}})
			if err != nil {
				t.Fatal(err)
			}
			e.say(s.SessionId, "go")
			if _, err := os.Stat(started); err == nil {
				t.Fatal("the server was started")
			}
			if got := e.seen(s.SessionId); !strings.Contains(got, "agent: ") || !strings.Contains(got, "ended") || len(e.asked) != 1 {
				t.Errorf("%d questions: %s", len(e.asked), got)
			}
		})
	}
}

// What cannot be a server is refused.
func TestServersThatAreRefused(t *testing.T) {
	dir := files(t, lamp)
	e := newEditor(t, dir, "")
	one, _ := desk(t)
	many := make([]acp.McpServer, maxServers+1)
	for i := range many {
		many[i] = one
	}
	big := acp.McpServer{Stdio: &acp.McpServerStdio{Name: "x", Command: "x", Args: []string{strings.Repeat("x", maxServerBytes)}, Env: []acp.EnvVariable{}}}
	for name, servers := range map[string][]acp.McpServer{
		"twice": {one, one}, "many": many, "big": {big},
		"http":    {{Http: &acp.McpServerHttpInline{Name: "x", Url: "http://127.0.0.1:1/", Headers: []acp.HttpHeader{}, Type: "http"}}},
		"no name": {{Stdio: &acp.McpServerStdio{Command: "x", Args: []string{}, Env: []acp.EnvVariable{}}}},
		"bad env": {{Stdio: &acp.McpServerStdio{Name: "x", Command: "x", Args: []string{}, Env: []acp.EnvVariable{{Name: "A=B", Value: "x"}}}}},
	} {
		if _, err := e.NewSession(t.Context(), acp.NewSessionRequest{Cwd: dir, McpServers: servers}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
