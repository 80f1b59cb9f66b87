package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	protocol "golem/core/mcp"
)

// asker is a golem mcp serve with a client of protocol.Stateless that leaves the answers to
// the test.
type asker struct {
	t       *testing.T
	cmd     *exec.Cmd
	session *mcp.ClientSession
}

func newAsker(t *testing.T, dir string, args ...string) *asker {
	t.Helper()
	cmd := mcpServer(t, dir, args...)
	options := &mcp.ClientOptions{
		MultiRoundTrip:     &mcp.MultiRoundTripOptions{Disabled: true},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) { return nil, nil },
	}
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, options).Connect(t.Context(), &mcp.CommandTransport{Command: cmd, TerminateDuration: patience},
		&mcp.ClientSessionOptions{ProtocolVersion: protocol.Stateless})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() }) // its error about a killed server does not matter
	return &asker{t, cmd, s}
}

// call returns the text of the result, or its question after "?" with its state.
func (a *asker) call(name, state, answer string) (text, next string) {
	a.t.Helper()
	params := &mcp.CallToolParams{Name: name, Arguments: map[string]any{"input": "go"}, RequestState: state}
	if state != "" {
		params.InputResponses = mcp.InputResponseMap{"question": &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": answer}}}
	}
	res, err := a.session.CallTool(a.t.Context(), params)
	if err != nil {
		return "broken: " + err.Error(), ""
	}
	if !res.NeedsInput() {
		return mcpText(res), ""
	}
	for _, q := range res.InputRequests {
		text = q.(*mcp.ElicitParams).Message
	}
	return text, res.RequestState
}

// end ends the process: killed, without a chance to write anything, or as its client does.
func (a *asker) end(killed bool) {
	a.t.Helper()
	if killed {
		if err := a.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			a.t.Fatal(err)
		}
	}
	a.session.Close() // its error about a killed server does not matter
}

// A question of golem mcp serve is answered in a process that started after the one that
// asked had ended, or was killed. The answer counts once.
func TestAnswerToANewProcess(t *testing.T) {
	for _, killed := range []bool{false, true} {
		dir := servedProject(t)
		note := filepath.Join(dir, "note.txt")
		first := newAsker(t, dir)
		asked, state := first.call("main", "", "")
		if !strings.Contains(asked, "/note.txt") || state == "" || len(state) > 1<<10 {
			t.Fatalf("%q %q", asked, state)
		}
		first.end(killed)
		second := newAsker(t, dir)
		if got, _ := second.call("main", state, "yes"); got != "finished" {
			t.Fatalf("killed %v: %q", killed, got)
		}
		if data, err := os.ReadFile(note); string(data) != "hello" {
			t.Fatalf("%q %v", data, err)
		}
		if err := os.Remove(note); err != nil {
			t.Fatal(err)
		}
		second.end(killed)
		third := newAsker(t, dir)
		for _, answer := range []string{"yes", "no"} {
			if got, _ := third.call("main", state, answer); got != "finished" {
				t.Errorf("again %s: %q", answer, got)
			}
		}
		if _, err := os.Stat(note); err == nil {
			t.Error("the second use of an answer wrote the file again")
		}
		if info, err := os.Stat(filepath.Join(homeOf(dir), "questions")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
			t.Errorf("%v %v", info, err)
		}
	}
}

// A worker that has changed since is not run with the answer, and neither is one of another
// project.
func TestAnswerAfterAChange(t *testing.T) {
	dir := servedProject(t)
	first := newAsker(t, dir)
	_, state := first.call("main", "", "")
	first.end(true)
	other := servedProject(t)
	if err := os.Symlink(homeOf(dir), homeOf(other)); err != nil {
		t.Fatal(err)
	}
	if got, _ := newAsker(t, other).call("main", state, "yes"); !strings.Contains(got, "E_NOT_FOUND") {
		t.Errorf("another project: %s", got)
	}
	worker := filepath.Join(dir, "main.worker")
	if err := os.WriteFile(worker, []byte(servedFiles["main.worker"]+"And more.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	second := newAsker(t, dir)
	if got, _ := second.call("main", state, "yes"); !strings.Contains(got, "E_CONFLICT") {
		t.Error(got)
	}
	second.end(false)
	if err := os.WriteFile(worker, []byte(servedFiles["main.worker"]), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "note.txt")); err == nil {
		t.Error("it was written")
	}
	if got, _ := newAsker(t, dir).call("main", state, "yes"); got != "finished" {
		t.Errorf("the worker as it was: %q", got)
	}
}

// killingServer is an MCP server whose tool has an effect and then kills golem, its parent.
const killingServer = `#!/bin/sh
while read -r line; do
	id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
	case $line in
	*'"initialize"'*) r='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"k","version":"1"}}' ;;
	*'"tools/list"'*) r='{"tools":[{"name":"once","description":"d","inputSchema":{"type":"object"}}]}' ;;
	*'"tools/call"'*) echo effect >>effects; test -e alive || kill -9 $PPID; r='{"content":[{"type":"text","text":"ok"}]}' ;;
	*) continue ;;
	esac
	printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$r"
done
`

// golem that is killed after the answer, in the middle of the call that it approved, does
// not run that call again silently: the answer asks about the doubt, in a new process.
func TestKilledAfterTheAnswer(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // the server is a shell script
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"server.sh":   killingServer,
		"main.worker": "---\ndescription: d\nmodel: script:s.yaml\ntoolsets: {mcp: {k: {command: sh, args: [server.sh]}}}\n---\nDo it.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - calls: [{tool: k__once, args: {}}]\n    - say: finished\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	effects := func() int {
		data, _ := os.ReadFile(filepath.Join(dir, "effects"))
		return strings.Count(string(data), "\n")
	}
	first := newAsker(t, dir, "--trust")
	asked, state := first.call("main", "", "")
	if !strings.Contains(asked, "k__once") || state == "" {
		t.Fatalf("%q", asked)
	}
	if got, _ := first.call("main", state, "yes"); !strings.HasPrefix(got, "broken") || effects() != 1 {
		t.Fatalf("%q, %d effects", got, effects())
	}
	first.end(true)
	if err := os.WriteFile(filepath.Join(dir, "alive"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var doubt string
	for range 3 { // each in a new process: they all get the same question
		p := newAsker(t, dir, "--trust")
		asked, next := p.call("main", state, "yes")
		if !strings.Contains(asked, "was running when golem ended") || next == "" || doubt != "" && next != doubt || effects() != 1 {
			t.Fatalf("%q %q, %d effects", asked, next, effects())
		}
		doubt = next
		p.end(true)
	}
	last := newAsker(t, dir, "--trust")
	if got, next := last.call("main", doubt, "no"); got != "finished" || next != "" || effects() != 1 {
		t.Errorf("%q, %d effects", got, effects())
	}
}
