package toolset_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/tool"
	"golem/core/toolset"
)

// The arguments that a worker's tool accepts follow from its input schema (SPEC §5).
func TestWorkerParameters(t *testing.T) {
	for _, c := range []struct{ input, good, bad string }{
		{``, `{"input":"x","instructions":"i","attachments":["/a"],"prior":["read_file"]}`, `{"input":1}`},
		{``, `{"input":"x"}`, `{"input":"x","other":1}`},
		{`{"type":"string"}`, `{"input":"x"}`, `{}`},
		{`true`, `{"input":"x"}`, `{}`},
		{`{"type":"object"}`, `{"instructions":"i"}`, `{"other":1}`},
		{`{"properties":{"n":{"type":"integer"}}}`, `{"n":1,"instructions":"i"}`, `{"n":"1"}`}, // an object although it does not say so
		{`{"type":"object","properties":{"instructions":{"type":"integer"}}}`, `{"instructions":1}`, `{"instructions":"i"}`},
		{`{"type":"object","properties":{"a":{}},"additionalProperties":true}`, `{"a":1,"z":2}`, `{"prior":"x"}`},
		{`{"type":"object","allOf":[{"properties":{"n":{"type":"integer"}},"required":["n"]}]}`, `{"n":1}`, `{}`},
		{`{"type":"object","$ref":"#/$defs/X","$defs":{"X":{"properties":{"n":{"type":"integer"}},"required":["n"]}}}`, `{"n":1,"instructions":"i"}`, `{"n":"x"}`},
		{`{"type":"object","properties":{"n":{"maximum":9007199254740993}}}`, `{"n":9007199254740992}`, `{"n":9007199254740995}`},
	} {
		ds := []toolset.Delegate{{ID: "w", Tool: "w", Input: json.RawMessage(c.input)}}
		raw := openWorkers(t, "tools", ds)["w"].Spec().Input
		schema, err := tool.Compile(raw)
		if err != nil {
			t.Errorf("%s makes %s: %v", c.input, raw, err)
			continue
		}
		if vs := schema.Validate(json.RawMessage(c.good)); len(vs) > 0 {
			t.Errorf("%s refuses %s: %v", raw, c.good, vs)
		}
		if vs := schema.Validate(json.RawMessage(c.bad)); len(vs) == 0 {
			t.Errorf("%s takes %s", raw, c.bad)
		}
	}
}

// worker_call reports wrong arguments before anybody is asked, and loses no argument.
func TestWorkerCallRefuses(t *testing.T) {
	var got []string
	ds := delegates(&got)
	generic := openWorkers(t, "both", ds)["worker_call"]
	if d := generic.Spec().Description; !strings.Contains(d, "typed/x: ") || !strings.Contains(d, "n (required), prior") {
		t.Errorf("it does not tell what the workers take: %s", d)
	}
	p := &person{}
	g := approval.NewGate(approval.Interactive, p)
	for args, want := range map[string]string{
		`{"worker":"typed/x","input":{"n":1},"prior":["a"]}`:                         "write it inside input",
		`{"worker":"typed/x","input":{"n":1,"instructions":"a"},"instructions":"b"}`: "given twice",
		`{"worker":"typed/x","input":"text"}`:                                        "typed/x",
		`{"worker":"x","input":{"n":1}}`:                                             "allowed workers: plain, typed/x",
		`{"worker":"plain"}`:                                                         "input",
		`{"worker":"plain","input":"x","more":1}`:                                    "more",
	} {
		_, err := g.Call(t.Context(), approval.Item{
			Tool: generic, Call: tool.Call{ID: "0.1", Name: "worker_call", Args: tool.ReadArguments([]byte(args))}, FromModel: true,
			Policy: approval.Policy{WorkerTools: map[string]approval.Setting{"worker_call": approval.Ask}},
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want it to say %q", args, err, want)
		}
	}
	if len(got) > 0 || len(p.asked) > 0 {
		t.Errorf("ran %v, asked %d times", got, len(p.asked))
	}
}

// An unknown style is an error, and without workers there is no tool.
func TestWorkersEdges(t *testing.T) {
	r := toolset.NewRegistry(toolset.Workers(toolset.Delegation{}))
	if _, err := r.Open(t.Context(), "workers", json.RawMessage(`{"style":"best"}`), toolset.Env{}); !errors.Is(err, fault.Config) || !strings.Contains(err.Error(), "tools, call or both") {
		t.Errorf("%v", err)
	}
	if tools := openWorkers(t, "both", nil); len(tools) != 0 {
		t.Errorf("tools without workers: %v", tools)
	}
}

// request_input refuses an empty question.
func TestEmptyQuestion(t *testing.T) {
	if _, err := toolset.RequestInput().Call(t.Context(), tool.Call{Args: tool.ReadArguments([]byte(`{"question":" "}`))}); !errors.Is(err, fault.ToolInput) {
		t.Errorf("%v", err)
	}
}

// Faults about options use the words of a worker file. A factory that is made wrongly is a
// fault and not a crash.
func TestOptionFaults(t *testing.T) {
	type base struct {
		Root string `json:"root"`
	}
	type options struct {
		base
		Names []string `json:"names"`
		Deep  bool     `json:"deep"`
		Most  int      `json:"most"`
	}
	open := func(context.Context, toolset.Env, any) (tool.Toolset, error) { return toolset.Tools(nil), nil }
	r := toolset.NewRegistry(
		toolset.Factory{Name: "mine", Options: func() any { return new(options) }, Open: open},
		toolset.Factory{Name: "free", Options: func() any { return &map[string]any{} }, Open: open},
		toolset.Factory{Name: "value", Options: func() any { return options{} }, Open: open},
		toolset.Factory{Name: "none", Options: func() any { return nil }, Open: open},
		toolset.Factory{Name: "shut"},
	)
	for _, c := range []struct{ name, options, says string }{
		{"mine", `{"names":"x"}`, "names cannot be a string"}, {"mine", `{"names":"x"}`, "a list"}, {"mine", `{"deep":"yes"}`, "true or false"},
		{"mine", `{"most":1.5}`, "a whole number"}, {"mine", `{"root":7}`, "a string"}, {"mine", `{"Deep":true}`, "did you mean deep"},
		{"mine", `{"zzz":1}`, "known:"}, {"mine", `{} {}`, "key: value pairs"}, {"mine", `"x"`, "key: value pairs"},
		{"value", `{}`, "not registered correctly"}, {"none", `{}`, "not registered correctly"}, {"shut", `{}`, "not registered correctly"},
	} {
		err := r.Check(c.name, json.RawMessage(c.options))
		if !errors.Is(err, fault.Config) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s %s: %v; want E_CONFIG saying %q", c.name, c.options, err, c.says)
		}
	}
	for name, options := range map[string]string{"mine": `{"root":"/a","names":["x"],"deep":true,"most":1}`, "free": `{"any":1}`} {
		if err := r.Check(name, json.RawMessage(options)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := r.Check("mine", json.RawMessage(`null`)); err != nil {
		t.Errorf("no options: %v", err)
	}
	if err := (toolset.Registry{}).Check("mine", nil); !errors.Is(err, fault.Config) || !strings.Contains(err.Error(), "there are none") {
		t.Errorf("the zero registry: %v", err)
	}
}
