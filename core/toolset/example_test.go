package toolset_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"golem/core/tool"
	"golem/core/toolset"
)

// A Go program that embeds golem adds a toolset of its own: a factory under a
// name, options that a worker file may set, and functions whose struct
// arguments become the tools' schemas (S0-15..20). A worker then says
//
//	toolsets:
//	  texts: {suffix: "!"}
func ExampleNewRegistry() {
	type options struct {
		Suffix string `json:"suffix"`
	}
	type shoutArgs struct {
		Text  string `json:"text" jsonschema:"what to shout"`
		Times int    `json:"times,omitempty" jsonschema:"how often, once if left out"`
	}
	texts := toolset.Factory{
		Name:    "texts",
		Options: func() any { return new(options) },
		Open: func(_ context.Context, env toolset.Env, opts any) (tool.Toolset, error) {
			o := opts.(*options) // what Options returned, filled in
			shout := tool.Func(tool.Spec{
				Name: "shout", Description: "Writes a text in capitals.", Risk: tool.Read, Toolset: "texts", Provider: "builtin",
			}, func(_ context.Context, in shoutArgs) (tool.Output, error) {
				return tool.Text("%s", strings.Repeat(strings.ToUpper(in.Text)+o.Suffix, max(in.Times, 1))), nil
			})
			return toolset.Tools{shout}, nil
		},
	}

	registry := toolset.NewRegistry(toolset.Filesystem(), toolset.Workers(toolset.Delegation{}), texts)
	fmt.Println(registry.Names())

	ctx := context.Background()
	set, err := registry.Open(ctx, "texts", json.RawMessage(`{"suffix":"!"}`), toolset.Env{Worker: "main"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range set.Tools() {
		fmt.Println(t.Spec().Name, string(t.Spec().Input))
		// Only here: in a run, the gate calls the tools.
		out, err := t.Call(ctx, tool.Call{Args: tool.ReadArguments([]byte(`{"text":"ho","times":2}`))})
		fmt.Println(out, err)
	}
	fmt.Println(registry.Check("texts", json.RawMessage(`{"sufix":"?"}`)))
	if err := set.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// [filesystem texts workers]
	// shout {"type":"object","properties":{"text":{"type":"string","description":"what to shout"},"times":{"type":"integer","description":"how often, once if left out"}},"required":["text"],"additionalProperties":false}
	// HO!HO! <nil>
	// E_CONFIG: toolset texts has no option "sufix" (did you mean suffix)
}
