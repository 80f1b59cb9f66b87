package main

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sashabaranov/go-openai"

	"golem/cmd/cli/servecmd"
)

// modelFiles are a project with two exported workers: one has a conversation and a tool that
// asks, the other takes and returns objects.
var modelFiles = map[string]string{
	"project.yaml": "name: p\nexports: [main, workers/sum]\n",
	"main.worker":  "---\nmode: chat\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\n---\nYou are M.\n",
	"workers/sum.worker": "---\nmodel: script:s.yaml\ninput_schema: {type: object, properties: {n: {type: integer}}, required: [n]}\n" +
		"output_schema: {type: object, properties: {total: {type: integer}}, required: [total]}\n---\nAdd.\n",
	"s.yaml": `script: 1
workers:
  main:
    - {when: {text: remember}, say: 'you are Ada'}
    - {when: {tool: write_file}, say: 'finished'}
    - {when: {match: '(?s)note$'}, calls: [{tool: write_file, args: {path: /note.txt, content: hello}}]}
    - {when: {match: '(?s)hello$'}, say: 'hello yourself'}
  sum:
    - {when: {turn: 1}, say: '{"total": 4}'}
`,
}

// modelServer starts golem serve in a new project, and returns the base URL and the key that it
// shows. stop ends it as Ctrl+C does, and returns what it said.
func modelServer(t *testing.T) (dir, base, key string, stop func() string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range modelFiles {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "serve")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asGolem+"=1", "GOLEM_HOME="+homeOf(dir), "GOLEM_PROJECT=", "GOLEM_MODEL=", servecmd.TokenVariable+"=")
	told, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	lines := bufio.NewScanner(told)
	for key == "" && lines.Scan() {
		if _, rest, ok := strings.Cut(lines.Text(), "base URL: "); ok {
			base = rest
		}
		_, key, _ = strings.Cut(lines.Text(), "key: ")
	}
	if len(key) < 40 || !strings.HasPrefix(base, "http://127.0.0.1:") {
		t.Fatalf("%q %q", base, key)
	}
	return dir, base, key, func() string {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		for lines.Scan() {
			said.WriteString(lines.Text() + "\n")
		}
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		return said.String()
	}
}

// golem serve is used by go-openai: exports are models, earlier messages are the conversation,
// what asks is denied and named, an answer fits its schema, and each request has a trace.
// Ctrl+C ends it.
func TestServe(t *testing.T) {
	t.Parallel()
	dir, base, key, stop := modelServer(t)
	config := openai.DefaultConfig(key)
	config.BaseURL = base
	c := openai.NewClientWithConfig(config)
	list, err := c.ListModels(t.Context())
	if err != nil || len(list.Models) != 2 || list.Models[1].ID != "sum" {
		t.Fatalf("%v %+v", err, list)
	}
	chat := func(model string, said ...string) openai.ChatCompletionResponse {
		t.Helper()
		in := openai.ChatCompletionRequest{Model: model}
		for i, text := range said {
			in.Messages = append(in.Messages, openai.ChatCompletionMessage{Role: []string{"user", "assistant"}[i%2], Content: text})
		}
		res, err := c.CreateChatCompletion(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	if got := chat("main", "I am Ada", "hello Ada", "do you remember?").Choices[0].Message.Content; got != "you are Ada" {
		t.Error(got)
	}
	if got := chat("sum", `{"n": 2}`).Choices[0].Message.Content; got != `{"total":4}` {
		t.Error(got)
	}
	res := chat("main", "write a note")
	if got := res.Choices[0].Message.Content; !strings.HasPrefix(got, "finished\n\n[golem: denied, because nobody could be asked: write_file") || !strings.HasPrefix(res.Header().Get("X-Golem-Denied"), "write_file/0.1") {
		t.Errorf("%q %v", got, res.Header())
	}
	if _, err := os.Stat(filepath.Join(dir, "note.txt")); err == nil {
		t.Error("a file was written without a yes")
	}
	var api *openai.APIError
	_, err = c.CreateChatCompletion(t.Context(), openai.ChatCompletionRequest{Model: "sum", Messages: []openai.ChatCompletionMessage{{Role: "user", Content: `{"n": "x"}`}}})
	if !errors.As(err, &api) || api.HTTPStatusCode != 400 || api.Code != "E_TOOL_INPUT" {
		t.Errorf("%v", err)
	}
	said := stop()
	if !strings.Contains(said, "1 call denied, because nobody could be asked; the first: write_file") {
		t.Error(said)
	}
	if traces, _ := filepath.Glob(filepath.Join(dir, ".golem", "runs", "*.jsonl")); len(traces) != 4 {
		t.Errorf("%d traces of 4 requests", len(traces))
	}
}

// OpenAI's own JavaScript client and the AI SDK work with golem serve: lists, answers, streams,
// responses, schemas and errors are what they expect.
func TestServeClients(t *testing.T) {
	t.Parallel()
	at, err := filepath.Abs(filepath.Join("testdata", "openai"))
	if err != nil {
		t.Fatal(err)
	}
	lock, err := os.ReadFile(filepath.Join(at, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	if from, err := os.ReadFile(filepath.Join(at, "node_modules", ".package-lock.from")); err != nil || !bytes.Equal(from, lock) {
		t.Fatal("the packages of cmd/cli/testdata/openai are not installed, or others than its lock file names: make test installs them")
	}
	want, err := os.ReadFile(filepath.Join(at, "said.txt"))
	if err != nil {
		t.Fatal(err)
	}
	_, base, key, stop := modelServer(t)
	defer stop()
	cmd := exec.Command("node", filepath.Join(at, "client.mjs"))
	cmd.Env = append(os.Environ(), "OPENAI_BASE_URL="+base, "OPENAI_API_KEY="+key)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil || string(out) != string(want) {
		t.Errorf("%v\n%s\n%s\nwant\n%s", err, out, &errs, want)
	}
}
