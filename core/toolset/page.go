package toolset

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"golem/core/fault"
	"golem/core/tool"
)

// maxResult is the largest result of a lent tool, in bytes of JSON (SECURITY 12).
const maxResult = 1 << 20

// Lent is a tool that the embedding web page lends to golem: one of its functions.
type Lent struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"input"`  // JSON Schema; nil: any object
	Output      json.RawMessage `json:"output"` // JSON Schema; nil: undeclared
	Risk        tool.Risk       `json:"risk"`   // "": unknown; like a command, it asks by default
	Timeout     string          `json:"timeout"`
	// Untrusted says that results contain untrusted content. Results of tools with the risk
	// network are always untrusted (SECURITY 13).
	Untrusted bool `json:"untrusted"`
}

// LentSet is a group of tools that the page lends under one name.
type LentSet struct {
	Name  string `json:"name"`
	Tools []Lent `json:"tools"`
}

// Lender calls the lent functions.
type Lender interface {
	// CallLent calls a function and returns its result as JSON, or nil if it has none. It
	// must return when ctx ends.
	CallLent(ctx context.Context, toolset, name string, args json.RawMessage) (json.RawMessage, error)
}

// Page returns the factory of the toolset "page", which has the tools that a web page lends.
// The worker's option names says which of the page's toolsets it gets.
func Page(lent []LentSet, by Lender) Factory {
	return Factory{
		Name:    "page",
		Options: func() any { return new(pageOptions) },
		Open: func(_ context.Context, _ Env, options any) (tool.Toolset, error) {
			var out Tools
			var known []string
			for _, set := range lent {
				known = append(known, set.Name)
			}
			o, _ := options.(*pageOptions)
			if len(o.Names) == 0 {
				return nil, fault.New(fault.Config, "the toolset page names none of the page's toolsets").
					Hinting("write page: {names: [NAME]}; %s", fault.DidYouMean("", known))
			}
			for _, name := range o.Names {
				at := slices.Index(known, name)
				if at < 0 {
					return nil, fault.New(fault.Platform, "this page provides no toolset %q", name).
						Hinting("%s; a page provides toolsets with golem.provide", fault.DidYouMean(name, known))
				}
				for _, l := range lent[at].Tools {
					t, err := l.tool(name, by)
					if err != nil {
						return nil, err
					}
					out = append(out, t)
				}
			}
			return out, nil
		},
	}
}

// pageOptions are the keys of toolsets.page.
type pageOptions struct {
	Names []string `json:"names"`
}

// lentTool is a lent function as a tool.
type lentTool struct {
	spec   tool.Spec
	lent   Lent
	set    string
	lender Lender
}

func (l Lent) tool(set string, by Lender) (tool.Tool, error) {
	wrong := func(format string, args ...any) error {
		return fault.New(fault.ToolContract, "the tool %s of the page's toolset %s: "+format, append([]any{l.Name, set}, args...)...).
			Hinting("correct what the page gives golem.provide")
	}
	t := &lentTool{set: set, lent: l, lender: by, spec: tool.Spec{
		Name: l.Name, Description: l.Description, Input: l.Input, Output: l.Output, Risk: l.Risk, Toolset: "page", Provider: "page:" + set,
		Outside: true, Network: l.Risk == tool.Network,
	}}
	switch l.Risk {
	case "", tool.Read, tool.Write, tool.Network, tool.Destructive, tool.Command:
	default:
		return nil, wrong("there is no risk %q: use read, write, network, destructive or command", l.Risk)
	}
	for _, schema := range []json.RawMessage{l.Input, l.Output} {
		if schema == nil {
			continue
		}
		if _, err := tool.Compile(schema); err != nil {
			return nil, wrong("%w", err)
		}
	}
	if l.Timeout != "" {
		limit, err := time.ParseDuration(l.Timeout)
		if err != nil || limit <= 0 {
			return nil, wrong("the timeout %q is not a time such as 30s or 2m", l.Timeout)
		}
		t.spec.Timeout = limit
	}
	return t, nil
}

// Spec returns the tool's metadata as the page gave it.
func (t *lentTool) Spec() tool.Spec { return t.spec }

// Call calls the function. A string becomes the output's text, any other result its data.
func (t *lentTool) Call(ctx context.Context, c tool.Call) (tool.Output, error) {
	out := tool.Output{Untrusted: t.lent.Untrusted || t.spec.Network}
	raw, err := t.lender.CallLent(ctx, t.set, c.Name, c.Args.JSON())
	if err != nil {
		return out, err // the text of the error can come from outside, too
	}
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) > maxResult:
		return out, fault.New(fault.ToolOutput, "the result of %s has %d bytes; at most %d are allowed", c.Name, len(raw), maxResult)
	case len(raw) == 0:
	case raw[0] == '"' && json.Unmarshal(raw, &out.Text) == nil:
	default:
		if out.Data, err = tool.Canonical(raw); err != nil {
			return tool.Output{Untrusted: out.Untrusted}, fault.New(fault.ToolOutput, "the result of %s: %w", c.Name, err)
		}
		out.Kind = "json"
	}
	return out, nil
}
