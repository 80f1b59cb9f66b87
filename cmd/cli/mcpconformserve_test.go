package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/run"
	"golem/core/tool"
	"golem/core/ui"

	"golem/cmd/cli/mcpserve"
)

// serverFailsBecause has the scenarios for servers that golem does not pass, by the
// beginning of their names, each with its reason.
var serverFailsBecause = map[string]string{
	"completion-complete": "a worker's arguments have no completions", "tools-call-image": "workers of the suite return texts",
	"tools-call-audio": "the same", "tools-call-embedded-resource": "the same", "tools-call-mixed-content": "the same",
	"tools-call-with-logging": "golem tells of a run by progress", "tools-call-with-progress": "of what happens faster than it can be sent, golem tells the newest only",
	"tools-call-sampling": "golem asks no client's model", "elicitation-sep": "golem's questions have their own forms",
	"resources-read": "golem offers tools only", "resources-templates": "the same", "resources-subscribe": "the same", "resources-unsubscribe": "the same", "prompts-get": "the same",
}

// TestConformanceServer plays the suite's clients for golem as the server. The suite
// sends no token, so a handler adds it; everything else reaches golem as it is.
func TestConformanceServer(t *testing.T) {
	t.Parallel()
	suite := conformanceSuite(t)
	says := func(text string, f *fault.Fault) func(context.Context, mcpserve.Call, ui.UI) run.Result {
		return func(context.Context, mcpserve.Call, ui.UI) run.Result {
			if f != nil {
				return run.Result{Status: run.Failed, Error: f}
			}
			return run.Result{Status: run.OK, Output: tool.Output{Text: text}}
		}
	}
	asks := func(ctx context.Context, _ mcpserve.Call, front ui.UI) run.Result {
		d, err := front.Approve(ctx, approval.Request{ID: "1", Kind: approval.KindTurns, Title: "May it go on?", Answers: []approval.Answer{approval.Yes, approval.No}})
		if err != nil {
			return run.Result{Status: run.Failed, Error: fault.Of(err, fault.Denied)}
		}
		return run.Result{Status: run.OK, Output: tool.Output{Text: "User response: " + string(d.Answer)}}
	}
	anything := json.RawMessage(`{"type":"object","properties":{"message":{"type":"string"}}}`)
	server, err := mcpserve.New("test", "", []mcpserve.Tool{
		{Name: "test_simple_text", Description: "d", Optional: true, Run: says("This is a simple text response for testing.", nil)},
		{Name: "test_error_handling", Description: "d", Optional: true, Run: says("", fault.New(fault.Tool, "This tool intentionally returns an error for testing"))},
		{Name: "test_tool_with_progress", Description: "d", Optional: true, Run: says("done", nil)},
		{Name: "test_elicitation", Description: "d", Input: anything, Run: asks},
		{Name: "json_schema_2020_12_tool", Description: "d", Run: says("x", nil), Input: json.RawMessage(`{"type":"object","$defs":{"address":{"type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"}},"additionalProperties":false}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	handler := server.Handler("the-token")
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer the-token")
		handler.ServeHTTP(w, r)
	}))
	defer site.Close()
	conforms(t, suite(t, "server", "--url", site.URL+mcpserve.Path, "--suite", "all", "-o", t.TempDir()), 32, 13, serverFailsBecause)
}
