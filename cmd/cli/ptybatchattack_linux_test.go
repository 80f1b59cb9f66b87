package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golem/cmd/cli/console"
)

// actsOnTerminals is what a terminal obeys: a title, a cleared screen, and these in one character;
// and marks that turn text around.
const actsOnTerminals = "\x1b]0;pwned\a\x1b[2J\u009b31m\u202e"

// provider answers a text that has "bad" with an error that attacks the terminal, and any other one
// with a call whose arguments do, and have 10 MB if large is true.
func provider(t *testing.T, large bool) {
	t.Helper()
	content := actsOnTerminals + "\n"
	if large {
		content += strings.Repeat("y", 10<<20)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // a part is no JSON with "bad"
		if strings.Contains(string(body), "bad") {
			w.WriteHeader(http.StatusBadRequest)
			_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": actsOnTerminals + "\ngolem: fake"}})
			return
		}
		args, _ := json.Marshal(map[string]string{"path": "out/a.txt", "content": content})
		call := map[string]any{"index": 0, "id": "c", "type": "function", "function": map[string]any{"name": "write_file", "arguments": string(args)}}
		choice := map[string]any{"index": 0, "finish_reason": "tool_calls", "delta": map[string]any{"role": "assistant", "tool_calls": []any{call}}}
		data, _ := json.Marshal(map[string]any{"id": "x", "object": "chat.completion.chunk", "model": "m", "choices": []any{choice}})
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", data)
	}))
	t.Cleanup(server.Close)
	t.Setenv("OPENAI_BASE_URL", server.URL+"/v1")
	t.Setenv("OPENAI_API_KEY", "a-key-of-nobody")
}

var batchWorker = map[string]string{"main.worker": "---\nmodel: openai:m\ntoolsets: {filesystem: {}}\n---\nW.\n"}

// TestTerminalBatchEscapes proves that keys of items, names of files that are inputs, messages of a
// provider and arguments of calls do nothing on the terminal of any command of a batch.
func TestTerminalBatchEscapes(t *testing.T) {
	provider(t, false)
	dir := ptyProject(t, batchWorker)
	var inputs []byte
	for _, id := range []string{"bad " + actsOnTerminals, "asks\n" + actsOnTerminals, "plain"} {
		line, err := json.Marshal(map[string]string{"id": id})
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(append(inputs, line...), '\n')
	}
	files := t.TempDir()
	for name, data := range map[string][]byte{
		filepath.Join(dir, "in.jsonl"):                     inputs,
		filepath.Join(files, "b\n"+actsOnTerminals+".txt"): []byte("bad"),
		filepath.Join(files, "a"+actsOnTerminals+".txt"):   []byte("asks"),
	} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hostile := "x" + actsOnTerminals
	for _, c := range []struct {
		exit  int
		words []string
	}{
		{console.ExitFailed, []string{"batch", ".", "--inputs", "in.jsonl", "--key", "id", "--name", "one"}},
		{console.ExitUsage, []string{"batch", ".", "--inputs", files, "--key", "file", "--name", "two"}},
		{console.ExitOK, []string{"batch", "list"}},
		{console.ExitOK, []string{"batch", "list", "--json"}},
		{console.ExitOK, []string{"batch", "show", "one"}},
		{console.ExitOK, []string{"batch", "show", "one", "--status", "error"}},
		{console.ExitOK, []string{"batch", "show", "one", "--status", "parked"}},
		{console.ExitUsage, []string{"batch", "show", "one", hostile}},
		{console.ExitUsage, []string{"batch", "show", hostile}},
		{console.ExitUsage, []string{"batch", "show", "one", "--code", hostile}},
		{console.ExitUsage, []string{"batch", "remove", hostile}},
		{console.ExitOK, []string{"batch", "questions", "one", "--json"}},
		{console.ExitOK, []string{"batch", "questions", "one", "--rule", "write_file"}},
		{console.ExitUsage, []string{"batch", "questions", "one", "--question", hostile, "--answer", "yes"}},
		{console.ExitOK, []string{"trace", "list", "--batch", "one"}},
		{console.ExitOK, []string{"trace", "list", "--batch", "one", "--json"}},
		{console.ExitOK, []string{"trace", "list", "--status", "error"}},
		{console.ExitUsage, []string{"trace", "list", "--batch", hostile}},
		{console.ExitUsage, []string{"trace", "show", "one/" + hostile}},
	} {
		r := startPTY(t, dir, nil, false, c.words...)
		r.exit(c.exit)
		r.harmless(c.words)
	}
	r := startPTY(t, dir, nil, false, "batch", "questions", "one")
	r.expectTimes("[q]uit: ", 1)
	r.typeKeys("q\n")
	r.exit(console.ExitOK)
	r.harmless([]string{"batch questions"})
}

// harmless fails if the terminal got something to obey that golem does not write itself.
func (r *ptyRun) harmless(words []string) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, bad := range []string{"\x1b]0;pwned", "\x1b[2J", "\u009b", "\u202e", "\ngolem: fake"} {
		if strings.Contains(r.screen.String(), bad) {
			r.t.Errorf("%q: the terminal got %q", words, bad)
		}
	}
}

// TestTerminalBatchLargeQuestion proves that a question of 10 MB can be seen to its end and
// answered, and is shown in short first.
func TestTerminalBatchLargeQuestion(t *testing.T) {
	provider(t, true)
	dir := ptyProject(t, batchWorker)
	if err := os.WriteFile(filepath.Join(dir, "in.jsonl"), []byte("\"a\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	startPTY(t, dir, nil, false, "batch", ".", "--inputs", "in.jsonl", "--name", "b").exit(console.ExitNobody)
	r := startPTY(t, dir, nil, false, "batch", "questions", "b")
	r.expectTimes("[q]uit: ", 1)
	if n := len(r.text()); n > 20_000 {
		t.Errorf("the question has %d bytes on the terminal", n)
	}
	r.typeKeys("n too large\n")
	r.expect("golem batch retry b goes on")
	r.exit(console.ExitOK)
	r.harmless([]string{"batch questions"})
}
