package toolset_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/tool"
	"golem/core/toolset"
)

// noting is a worker that notes its calls.
type noting struct {
	id  string
	got *[]string
}

func (noting) Named(string) bool { return false }

func (n noting) Run(_ context.Context, c tool.Call) (tool.Output, error) {
	*n.got = append(*n.got, n.id+" "+string(c.Args.JSON()))
	return tool.Text("done"), nil
}

func delegates(got *[]string) []toolset.Delegate {
	return []toolset.Delegate{
		{ID: "plain", Tool: "plain", Callee: noting{"plain", got}},
		{ID: "typed/x", Tool: "typed__x", Callee: noting{"typed/x", got}, Input: json.RawMessage(`{"type":"object","required":["n"],"properties":{"n":{"type":"integer"},"prior":{"type":"string"}}}`)},
	}
}

func openWorkers(t *testing.T, style string, ds []toolset.Delegate) map[string]tool.Tool {
	t.Helper()
	set, err := toolset.NewRegistry(toolset.Workers(toolset.Delegation{Workers: ds})).Open(t.Context(), "workers", json.RawMessage(`{"style":"`+style+`"}`), toolset.Env{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]tool.Tool{}
	for _, tl := range set.Tools() {
		out[tl.Spec().Name] = tl
	}
	return out
}

// Scenario 26: one tool for each worker, a generic one, or both.
func TestWorkersStyles(t *testing.T) {
	for style, want := range map[string]string{"tools": "plain typed__x", "call": "worker_call", "both": "plain typed__x worker_call"} {
		tools := openWorkers(t, style, delegates(new([]string)))
		for _, name := range strings.Fields(want) {
			if _, ok := tools[name]; !ok {
				t.Errorf("style %s lacks %s", style, name)
			}
		}
		if len(tools) != len(strings.Fields(want)) {
			t.Errorf("style %s has %d tools", style, len(tools))
		}
	}
	schema := func(name string) string {
		return string(openWorkers(t, "tools", delegates(new([]string)))[name].Spec().Input)
	}
	if s := schema("plain"); !strings.Contains(s, `"required":["input"]`) || !strings.Contains(s, `"attachments"`) {
		t.Errorf("plain takes %s", s)
	}
	if s := schema("typed__x"); !strings.Contains(s, `"prior":{"type":"string"}`) || !strings.Contains(s, `"instructions"`) || strings.Contains(s, `"input"`) {
		t.Errorf("typed takes %s: its own prior must stay", s)
	}
}

func TestWorkerCall(t *testing.T) {
	var got []string
	call := openWorkers(t, "call", delegates(&got))["worker_call"]
	for args, want := range map[string]error{
		`{"worker":"plain","input":"x","instructions":"y"}`: nil, `{"worker":"typed/x","input":{"n":1}}`: nil,
		`{"worker":"typed/x","input":{"n":"1"}}`: fault.ToolInput, `{"worker":"plain","input":{"a":1}}`: nil, // S1-84
		`{"worker":"other","input":"x"}`: fault.NotAllowed,
	} {
		_, err := call.Call(t.Context(), tool.Call{Args: tool.ReadArguments([]byte(args))})
		if want == nil && err != nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", args, err, want)
		}
	}
	if len(got) != 3 {
		t.Errorf("ran %v", got)
	}
	for _, g := range got {
		if g != `plain {"input":"x","instructions":"y"}` && g != `typed/x {"n":1}` && g != `plain {"input":{"a":1}}` {
			t.Errorf("the worker got %s", g)
		}
	}
}

func TestRequestInput(t *testing.T) {
	out, err := toolset.RequestInput().Call(t.Context(), tool.Call{Args: tool.ReadArguments([]byte(`{"question":"which key?","options":["a"]}`))})
	if err != nil || !out.NeedsInput || string(out.Data) != `{"question":"which key?","options":["a"]}` {
		t.Errorf("%+v, %v", out, err)
	}
}
