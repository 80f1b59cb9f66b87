package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"golem/core/fault"
	"golem/core/tool"
)

// Client sends requests to one server. It is safe for concurrent use.
type Client struct {
	Name    string // of the server, for messages
	Session Session
}

// Tool is a tool as a server describes it, bounded and escaped.
type Tool struct {
	Name        string // as the server calls it
	Description string
	Input       json.RawMessage
	Output      json.RawMessage // nil: undeclared
	Digest      string          // SHA-256 (hex) of its name, description and schemas as the server sent them
}

// Tools lists the server's tools for which want returns true, in the server's order. It
// leaves out tools that cannot be used, with a warning for each of the first 20. If the
// list is too long, or the server fails after some tools, it returns the tools so far and
// a warning. It returns an error if the server fails before the first tool.
func (c Client) Tools(ctx context.Context, want func(name string) bool) (out []Tool, warnings fault.List, err error) {
	if !c.Session.Has("tools") {
		return nil, nil, nil
	}
	seen, size, flawed, listed := map[string]bool{}, 0, 0, 0
	err = c.pages(ctx, MethodListTools, "tools", func(raw json.RawMessage) bool {
		listed++
		t, note, bad := c.tool(raw)
		switch {
		case bad == nil && !want(t.Name):
			return true
		case bad == nil && seen[strings.ToLower(t.Name)]:
			bad = c.flaw("has two tools named %s; the second is not used", t.Name)
		}
		if bad != nil {
			if flawed++; flawed <= maxFlaws {
				warnings = append(warnings, bad)
			}
			return flawed < maxTools
		}
		if note != nil && len(warnings) < maxFlaws {
			warnings = append(warnings, note)
		}
		if size += len(t.Description) + len(t.Input) + len(t.Output); len(out) >= maxTools || size > maxList {
			warnings = append(warnings, fault.Warn(fault.Limit, "the MCP server %s has more tools than can be used; the first %d are", c.Name, len(out)).
				Hinting("choose some with tools: [PATTERN] in toolsets.mcp.%s", c.Name))
			return false
		}
		seen[strings.ToLower(t.Name)] = true
		out = append(out, t)
		return true
	})
	if err == nil && listed == 0 && !c.Session.Has("resources") && !c.Session.Has("prompts") {
		warnings = append(warnings, c.flaw("says that it has tools and lists none"))
	}
	if err != nil && len(out) > 0 && ctx.Err() == nil {
		problem := fault.Of(err, fault.Tool)
		warnings, err = append(warnings, fault.Warn(problem.Code, "%s; the tools that it listed before are used: %d", problem.Message, len(out))), nil
	}
	return out, warnings, err
}

func (c Client) flaw(format string, args ...any) *fault.Fault {
	return fault.Warn(fault.ToolContract, "the MCP server "+c.Name+" "+format, args...)
}

// pages calls each for every item on all pages of a list, until each returns false.
func (c Client) pages(ctx context.Context, method, key string, each func(json.RawMessage) bool) error {
	cursor := ""
	cursors := map[string]bool{}
	for range maxPages {
		params := map[string]any{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		raw, err := c.Session.Request(ctx, method, params, nil)
		if err != nil && err != errNotRPC {
			return faultOf(c.Name, method, err)
		}
		page, next := fields(raw), ""
		var items []json.RawMessage
		if err != nil || page == nil || page[key] != nil && json.Unmarshal(page[key], &items) != nil ||
			page["nextCursor"] != nil && json.Unmarshal(page["nextCursor"], &next) != nil {
			return fault.New(fault.Tool, "the MCP server %s sent a list of %s that golem cannot read", c.Name, key)
		}
		for _, item := range items {
			if !each(item) {
				return nil
			}
		}
		if next == "" {
			return nil
		}
		if cursors[next] || len(next) > 4<<10 {
			return fault.New(fault.Limit, "the MCP server %s does not end its list of %s", c.Name, key)
		}
		cursors[next], cursor = true, next
	}
	return fault.New(fault.Limit, "the MCP server %s has a list of %s with more than %d pages", c.Name, key, maxPages)
}

// Call calls a tool. Its output is marked as untrusted, also with an error, because the
// error has the server's text.
func (c Client) Call(ctx context.Context, name string, args json.RawMessage, progress func(Progress)) (tool.Output, error) {
	raw, err := c.Session.Request(ctx, MethodCallTool, map[string]any{"name": name, "arguments": args}, progress)
	if err != nil {
		return untrusted, c.failed(ctx, "the call of "+name, err)
	}
	return c.result(name, raw)
}

// untrusted is the output that is returned with an error that has the server's text.
var untrusted = tool.Output{Untrusted: true}

func (c Client) failed(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return faultOf(c.Name, what, err)
}

// Resource is a resource that a server lists.
type Resource struct {
	URI         string `json:"uri"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
	MIME        string `json:"mimeType,omitempty"`
}

// Resources lists the server's resources, at most 1000. It leaves out those that it cannot
// read.
func (c Client) Resources(ctx context.Context) (out []Resource, err error) {
	if !c.Session.Has("resources") {
		return nil, nil
	}
	err = c.pages(ctx, MethodListResources, "resources", func(raw json.RawMessage) bool {
		var r Resource
		if json.Unmarshal(raw, &r) == nil && len(r.URI) <= 2<<10 {
			out = append(out, Resource{Plain(r.URI, 2<<10), Plain(r.Name, 200), Plain(r.Description, 400), Plain(r.MIME, 100)})
		}
		return len(out) < maxTools
	})
	return out, err
}

// Template is a pattern of resources that a server lists: {name} in it stands for a part
// that the reader fills in.
type Template struct {
	URI         string `json:"uriTemplate"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
	MIME        string `json:"mimeType,omitempty"`
}

// Templates lists the server's patterns of resources, at most 1000. Many servers with
// resources have none, and refuse to list them; that is an empty list.
func (c Client) Templates(ctx context.Context) (out []Template, err error) {
	if !c.Session.Has("resources") {
		return nil, nil
	}
	err = c.pages(ctx, MethodListTemplates, "resourceTemplates", func(raw json.RawMessage) bool {
		var r Template
		if json.Unmarshal(raw, &r) == nil && r.URI != "" && len(r.URI) <= 2<<10 {
			out = append(out, Template{Plain(r.URI, 2<<10), Plain(r.Name, 200), Plain(r.Description, 400), Plain(r.MIME, 100)})
		}
		return len(out) < maxTools
	})
	if errors.Is(err, fault.Tool) {
		err = nil
	}
	return out, err
}

// Read reads a resource. Text becomes the text of the output, other contents become parts.
func (c Client) Read(ctx context.Context, uri string) (tool.Output, error) {
	raw, err := c.Session.Request(ctx, MethodReadResource, map[string]any{"uri": uri}, nil)
	if err != nil {
		return untrusted, c.failed(ctx, "reading a resource", err)
	}
	var in struct {
		Contents []contents `json:"contents"`
	}
	if json.Unmarshal(raw, &in) != nil {
		return untrusted, c.malformed()
	}
	var b builder
	for _, one := range in.Contents {
		b.resource(one)
	}
	return b.output(c.Name)
}

// Prompt is a prompt that a server lists.
type Prompt struct {
	Name        string     `json:"name"`
	Description string     `json:"description,omitempty"`
	Arguments   []Argument `json:"arguments,omitempty"`
}

// Argument is one argument of a prompt. Its value is always a string.
type Argument struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// Prompts lists the server's prompts, at most 1000. It leaves out those that it cannot
// read, and those with more than 32 arguments.
func (c Client) Prompts(ctx context.Context) (out []Prompt, err error) {
	if !c.Session.Has("prompts") {
		return nil, nil
	}
	err = c.pages(ctx, MethodListPrompts, "prompts", func(raw json.RawMessage) bool {
		var p Prompt
		if json.Unmarshal(raw, &p) == nil && toolName(p.Name) && len(p.Arguments) <= 32 {
			p.Description = Plain(p.Description, 400)
			for i := range p.Arguments {
				p.Arguments[i].Name, p.Arguments[i].Description = Plain(p.Arguments[i].Name, 80), Plain(p.Arguments[i].Description, 200)
			}
			out = append(out, p)
		}
		return len(out) < maxTools
	})
	return out, err
}

// Prompt returns the messages of a prompt as one text, with their parts.
func (c Client) Prompt(ctx context.Context, name string, args map[string]string) (tool.Output, error) {
	raw, err := c.Session.Request(ctx, MethodGetPrompt, map[string]any{"name": name, "arguments": args}, nil)
	if err != nil {
		return untrusted, c.failed(ctx, "the prompt "+name, err)
	}
	var in struct {
		Messages []struct {
			Role    string  `json:"role"`
			Content content `json:"content"`
		} `json:"messages"`
	}
	if json.Unmarshal(raw, &in) != nil {
		return untrusted, c.malformed()
	}
	var b builder
	for _, m := range in.Messages {
		if len(in.Messages) > 1 {
			b.text("[" + Plain(m.Role, 20) + "]")
		}
		b.add(m.Content)
	}
	return b.output(c.Name)
}

func (c Client) malformed() *fault.Fault {
	return fault.New(fault.ToolOutput, "the MCP server %s answered with something that MCP does not define", c.Name)
}
