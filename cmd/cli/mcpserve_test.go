package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"golem/cmd/cli/mcphost"
)

// servedFiles are a project with two exported workers: one writes a file, which needs
// approval, the other takes and returns objects.
var servedFiles = map[string]string{
	"project.yaml": "name: p\nexports: [main, workers/sum]\n",
	"main.worker":  "---\ndescription: writes a note\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\n---\nWrite.\n",
	"workers/sum.worker": "---\ndescription: doubles\nmodel: script:s.yaml\ninput_schema: {type: object, properties: {n: {type: integer}}, required: [n]}\n" +
		"output_schema: {type: object, properties: {total: {type: integer}}, required: [total]}\n---\nAdd.\n",
	"s.yaml": "script: 1\nworkers:\n  main:\n    - calls: [{tool: write_file, args: {path: /note.txt, content: hello}}]\n    - say: finished\n" +
		"  sum:\n    - {when: {turn: 1}, say: '{\"total\": 4}'}\n",
}

// golem mcp serve is used over pipes by the SDK's own client: exports are tools with
// schemas, questions come to the client, faults are coded, each call has a trace, and
// standard output carries only the protocol.
func TestMCPServe(t *testing.T) {
	dir := servedProject(t)
	var asked []string
	asks := &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		asked = append(asked, r.Params.Message)
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "yes"}}, nil
	}}
	call := func(options *mcp.ClientOptions, name string, args any) (*mcp.CallToolResult, *mcp.ClientSession) {
		t.Helper()
		s := mcpClient(t, dir, options)
		res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		return res, s
	}
	note := filepath.Join(dir, "note.txt")
	res, _ := call(nil, "main", map[string]any{"input": "go"})
	if _, err := os.Stat(note); err == nil || !strings.Contains(mcpText(res), "finished") || !strings.Contains(mcpText(res), "golem: denied, because nobody could be asked: write_file (call 0.1)") {
		t.Errorf("without a user: %s", mcpText(res))
	}
	res, s := call(asks, "main", map[string]any{"input": "go"})
	if data, err := os.ReadFile(note); err != nil || string(data) != "hello" || mcpText(res) != "finished" || len(asked) != 1 || !strings.Contains(asked[0], "/note.txt") {
		t.Errorf("%v %q %q %q", err, data, mcpText(res), asked)
	}
	list, err := s.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 2 || list.Tools[1].Name != "sum" || list.Tools[1].Description != "doubles" || list.Tools[1].OutputSchema == nil {
		t.Fatalf("%v %+v", err, list)
	}
	if schema, _ := json.Marshal(list.Tools[1].InputSchema); !strings.Contains(string(schema), `"required":["n"]`) || !strings.Contains(string(schema), `"$schema":"https://json-schema.org/draft/2020-12/schema"`) {
		t.Errorf("%s", schema)
	}
	for args, want := range map[string]string{`{"n":"x"}`: "E_TOOL_INPUT", `{}`: "E_TOOL_INPUT", `{"n":2}`: `{"total":4}`} {
		res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "sum", Arguments: json.RawMessage(args)})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(mcpText(res), " ", ""); !strings.Contains(got, want) || res.IsError != (want == "E_TOOL_INPUT") || (res.StructuredContent == nil) != res.IsError {
			t.Errorf("%s: %s %+v", args, got, res)
		}
	}
	if traces, _ := filepath.Glob(filepath.Join(dir, ".golem", "runs", "*.jsonl")); len(traces) != 5 {
		t.Errorf("%d traces of 5 calls", len(traces))
	}
}

// Over HTTP golem shows the address and the token; with the token a client calls tools,
// and Ctrl+C ends the server although the client is still there.
func TestMCPServeOverHTTP(t *testing.T) {
	cmd := mcpServer(t, servedProject(t), "--http", "127.0.0.1:0")
	told, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	var address, token string
	lines := bufio.NewScanner(told)
	for token == "" && lines.Scan() {
		if _, rest, ok := strings.Cut(lines.Text(), "MCP server at "); ok {
			address = rest
		}
		_, token, _ = strings.Cut(lines.Text(), "Authorization: Bearer ")
	}
	if len(token) < 40 || !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Fatalf("%q %q", address, token)
	}
	ended := make(chan error, 1)
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
	transport := func(token string) *mcp.StreamableClientTransport {
		return &mcp.StreamableClientTransport{Endpoint: address, HTTPClient: &http.Client{Transport: bearer(token)}, MaxRetries: -1}
	}
	if _, err := client.Connect(t.Context(), transport("wrong"), nil); err == nil {
		t.Error("another token is taken")
	}
	s, err := client.Connect(t.Context(), transport(token), nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "sum", Arguments: map[string]any{"n": 2}})
	if err != nil || res.IsError {
		t.Fatalf("%v %s", err, mcpText(res))
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	go func() {
		for lines.Scan() { // to its end
		}
		ended <- cmd.Wait()
	}()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	s.Close() // its error about a server that has ended does not matter
}

// bearer is an HTTP transport that sends a token with each request.
type bearer string

func (token bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(r)
}

// servedProject writes the project into a new directory.
func servedProject(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range servedFiles {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// mcpServer returns a command that runs golem mcp serve in a directory.
func mcpServer(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, append([]string{"mcp", "serve"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asGolem+"=1", "GOLEM_HOME="+homeOf(dir), "GOLEM_PROJECT=", "GOLEM_MODEL=", mcphost.TokenVariable+"=")
	return cmd
}

// mcpClient starts golem mcp serve in a directory and connects to it.
func mcpClient(t *testing.T, dir string, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	cmd := mcpServer(t, dir)
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, options).Connect(t.Context(), &mcp.CommandTransport{Command: cmd, TerminateDuration: patience}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil { // golem ends when its standard input does
			t.Error(err)
		}
	})
	return s
}

func mcpText(res *mcp.CallToolResult) string {
	var out string
	for _, c := range res.Content {
		if c, ok := c.(*mcp.TextContent); ok {
			out += c.Text
		}
	}
	return out
}
