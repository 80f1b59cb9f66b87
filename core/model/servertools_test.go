package model

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"golem/core/tool"
)

// Each provider is asked for the server tools that it has, in its own form and after the
// worker's own tools; the others send what they send without.
func TestServerToolsAreAskedFor(t *testing.T) {
	for _, c := range []struct {
		model, api string
		want       string // the member tools; "": as without server tools
		lacks      []string
	}{
		{"openai:gpt-test", Responses, `[{"type":"function","name":"now","description":"","parameters":{"type":"object","properties":{}},"strict":false},{"type":"web_search"},{"type":"code_interpreter","container":{"type":"auto"}}]`, nil},
		{"anthropic:claude-opus-5", "", `[{"name":"now","description":"","input_schema":{"type":"object","properties":{}}},{"type":"web_search_20250305","name":"web_search"},{"type":"code_execution_20250825","name":"code_execution"}]`, nil},
		{"openai:gpt-test", Chat, "", serverToolsOf()},
		{"google:gemini-test", "", "", serverToolsOf()},
		{"mistral:m", "", "", serverToolsOf()},
	} {
		r := request()
		r.Tools = []tool.Spec{{Name: "now"}}
		plain := asks(t, c.model, c.api, r)["tools"]
		r.ServerTools = serverToolsOf()
		got := asks(t, c.model, c.api, r)["tools"]
		if c.want == "" {
			if d := cmp.Diff(plain, got); d != "" {
				t.Errorf("%s %s: %s", c.model, c.api, d)
			}
		} else {
			same(t, got, c.want)
		}
		config := Config{Env: env(key), HTTP: &player{}}
		if c.api != "" {
			config.Providers = map[string]Provider{"openai": {API: c.api}}
		}
		if lacks := config.LackingTools(c.model, serverToolsOf()); !slices.Equal(lacks, c.lacks) {
			t.Errorf("%s %s lacks %v", c.model, c.api, lacks)
		}
		if lacks := LackingTools(open(t, c.model, config), serverToolsOf()); !slices.Equal(lacks, c.lacks) {
			t.Errorf("%s %s, open, lacks %v", c.model, c.api, lacks)
		}
	}
	r := request()
	r.ServerTools = []string{WebSearch}
	same(t, asks(t, "anthropic:claude-opus-5", "", r)["tools"], `[{"type":"web_search_20250305","name":"web_search"}]`)
	if lacks := (Config{}).LackingTools("script:a.yaml", serverToolsOf()); lacks != nil {
		t.Errorf("a script lacks %v", lacks)
	}
}

const (
	searchCall   = `{"id":"ws_1","type":"web_search_call","status":"completed","action":{"type":"search","query":"go 2"}}`
	codeCall     = `{"id":"ci_1","type":"code_interpreter_call","status":"failed","code":"1/0","container_id":"cntr_1","outputs":null}`
	searchUse    = `{"id":"srvtoolu_1","input":{"query":"go 2"},"name":"web_search","type":"server_tool_use"}`
	searchResult = `{"content":[{"encrypted_content":"EqgfC","title":"Go","type":"web_search_result","url":"https://go.dev"}],"tool_use_id":"srvtoolu_1","type":"web_search_tool_result"}`
	failedUse    = `{"id":"srvtoolu_2","input":{},"name":"bash_code_execution","type":"server_tool_use"}`
	failedResult = `{"content":{"error_code":"unavailable","type":"bash_code_execution_tool_result_error"},"tool_use_id":"srvtoolu_2","type":"bash_code_execution_tool_result"}`
)

func serving(provider, text string, kept []json.RawMessage, ran ...ServerCall) Turn {
	return Turn{Text: text, Finish: "stop", Usage: Usage{In: 12, Out: 3}, Attempts: 1, Model: provider + ":gpt-test", Kept: &Kept{Provider: provider, Items: kept}, ServerCalls: ran}
}

var ofServerTools = []behaviour{
	inResponses("calls that ran at the provider", []string{typed(outDone(0, searchCall), outDone(1, codeCall), outText("Hello"), outDone(2, outMessage("Hello")), outEnd("completed", ""))},
		serving("openai", "Hello", items(searchCall, codeCall, outMessage("Hello")),
			ServerCall{Name: WebSearch, Args: js(`{"query":"go 2","type":"search"}`)}, ServerCall{Name: CodeExecution, Args: js(`{"code":"1/0"}`), Failed: true})),
	inMessages("calls that ran at the provider", []string{typed(start),
		typed(blockStart(0, `{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}`), blockDelta(0, `"type":"input_json_delta","partial_json":"{\"query\":\"go 2\"}"`), blockStop(0)),
		typed(blockStart(1, searchResult), blockStop(1)), typed(blockStart(2, failedUse), blockStop(2)), typed(blockStart(3, failedResult), blockStop(3)), textBlock(4, "Hello"), messageEnd("end_turn")},
		serving("anthropic", "Hello", items(searchUse, searchResult, failedUse, failedResult, `{"text":"Hello","type":"text"}`),
			ServerCall{Name: WebSearch, Args: js(`{"query":"go 2"}`), Result: js(`[{"title":"Go","type":"web_search_result","url":"https://go.dev"}]`)},
			ServerCall{Name: "bash_code_execution", Args: js(`{}`), Result: js(`{"error_code":"unavailable","type":"bash_code_execution_tool_result_error"}`), Failed: true})),
	inMessages("a pause before any text", []string{typed(start), typed(blockStart(0, searchUse), blockStop(0)), typed(blockStart(1, searchResult), blockStop(1)), messageEnd("pause_turn")},
		func() Turn {
			turn := serving("anthropic", "", items(searchUse, searchResult), ServerCall{Name: WebSearch, Args: js(`{"query":"go 2"}`), Result: js(`[{"title":"Go","type":"web_search_result","url":"https://go.dev"}]`)})
			turn.Paused = true
			return turn
		}()),
}

// A recording keeps what ran at the provider and that an answer was paused, without secrets; and
// a worker's server tools are part of the key.
func TestServedCallsAreRecorded(t *testing.T) {
	r := request()
	plain, err := digest(r, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	r.ServerTools = []string{WebSearch}
	with, err := digest(r, nil, false)
	if err != nil || with.key == plain.key {
		t.Errorf("%v; the keys are equal: %v", err, with.key == plain.key)
	}
	p := &player{behaviour: ofServerTools[2]}
	w := &writes{}
	rec := NewRecorder(w, "1", replacing{"go.dev"})
	config := Config{HTTP: p, Env: env(key)}
	asked := rec.Wrap(open(t, "anthropic:gpt-test", config))
	if _, err := asked.Generate(t.Context(), r, nil); err != nil {
		t.Fatal(err)
	}
	turn, err := w.replay(t, Config{}).Generate(t.Context(), r, nil)
	want := []ServerCall{{Name: WebSearch, Args: js(`{"query":"go 2"}`), Result: js(`[{"title":"Go","type":"web_search_result","url":"https://[redacted]"}]`)}}
	if d := cmp.Diff(want, turn.ServerCalls); err != nil || d != "" || !turn.Paused {
		t.Errorf("%v, paused %v: %s", err, turn.Paused, d)
	}
}
