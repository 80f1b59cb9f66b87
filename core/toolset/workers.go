package toolset

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
)

// Delegation has the workers that one worker may call. The zero value has none.
type Delegation struct {
	Workers []Delegate // in the order of allowed_workers
	// Style is how they are offered: tools, call or both; "": the style in the options.
	Style string
	// Files is the caller's view, in which attachments are read; nil: it sees no files.
	Files sandbox.FS
	// Unknown returns the error for a reference in worker_call that means none of
	// Workers; nil: E_NOT_ALLOWED.
	Unknown func(ref string) error
}

// Delegate is a worker offered as a tool (SPEC §5 Delegation).
type Delegate struct {
	ID          string // canonical worker ID
	Tool        string // its tool name, see tool.ToolName
	Description string
	Input       json.RawMessage // its input schema; nil: one string "input"
	Output      json.RawMessage
	// Module is the custom tool that replaces the worker (SPEC §5, S3-24); nil: the worker
	// has a worker file.
	Module tool.Tool
	// Served says that the worker serves a name in toolsets.custom.tools: it is offered
	// there, as a tool of that toolset, in every style.
	Served bool
	Callee
}

// Callee is the worker itself.
type Callee interface {
	// Named reports whether a reference (SPEC §2) means the worker, besides its ID and the
	// tool's name.
	Named(ref string) bool
	// Run starts the worker. call.Args are the tool call's arguments.
	Run(ctx context.Context, call tool.Call) (tool.Output, error)
}

// Workers returns the factory of the toolset for delegation (S0-23): one tool for each
// worker, one generic worker_call, or both. It is made for one worker, with the workers that
// this worker may call.
func Workers(d Delegation) Factory {
	return Factory{
		Name:    "workers",
		Options: func() any { return new(workerOptions) },
		Open: func(_ context.Context, _ Env, options any) (tool.Toolset, error) {
			o, _ := options.(*workerOptions)
			return d.tools(o)
		},
	}
}

// workerOptions are the keys of toolsets.workers. Allowed is not used here, because its names
// are already resolved into Delegation.Workers.
type workerOptions struct {
	Allowed []string `json:"allowed_workers"`
	Style   string   `json:"style"`
}

// Serving returns the tool for a worker that serves a name in toolsets.custom.tools: what
// the caller says there about approval holds for it. files is the caller's view.
func Serving(d Delegate, files sandbox.FS) tool.Tool {
	s := spec(d)
	s.Toolset = "custom"
	return &workerTool{delegate: d, files: files, spec: s}
}

func (t Delegation) tools(o *workerOptions) (tool.Toolset, error) {
	var out Tools
	t.Workers = slices.DeleteFunc(slices.Clone(t.Workers), func(d Delegate) bool { return d.Served })
	style := o.Style
	if t.Style != "" {
		style = t.Style
	}
	switch style {
	case "", "tools", "both", "call":
	default:
		return nil, fault.New(fault.Config, "the toolset workers has no style %q", style).Hinting("use tools, call or both")
	}
	if style != "call" {
		for _, d := range t.Workers {
			if d.Module != nil {
				out = append(out, d.Module)
				continue
			}
			out = append(out, &workerTool{delegate: d, files: t.Files, spec: spec(d)})
		}
	}
	if style == "call" || style == "both" {
		if len(t.Workers) > 0 {
			out = append(out, newWorkerCall(t))
		}
	}
	if style == "call" {
		for _, d := range t.Workers {
			if d.Module != nil {
				out = append(out, d.Module)
			}
		}
	}
	return out, nil
}

// workerTool is one worker as a tool.
type workerTool struct {
	delegate Delegate
	files    sandbox.FS
	spec     tool.Spec
}

// Spec returns the tool's metadata.
func (w *workerTool) Spec() tool.Spec { return w.spec }

// Preview returns the files that the call attaches.
func (w *workerTool) Preview(_ context.Context, c tool.Call) (tool.Preview, error) {
	return tool.Preview{Paths: attached(w.files, w.delegate, c.Args)}, nil
}

// attached returns the files that the arguments of a worker's own tool attach, so that the
// approvals of their mounts hold.
func attached(files sandbox.FS, d Delegate, args *tool.Arguments) (out []tool.PathUse) {
	var paths []string
	raw := args.Field("attachments")
	if _, fields, _ := objectInput(d.Input); files == nil || raw == nil || fields["attachments"] != nil || json.Unmarshal(raw, &paths) != nil {
		return nil
	}
	for _, p := range paths {
		if name, err := sandbox.Clean(p); err == nil {
			out = append(out, tool.PathUse{Op: "read", Mount: sandbox.MountOf(files, name), Path: sandbox.Abs(name)})
		}
	}
	return out
}

// Call runs the worker.
func (w *workerTool) Call(ctx context.Context, c tool.Call) (tool.Output, error) {
	return w.delegate.Run(ctx, c)
}

func spec(d Delegate) tool.Spec {
	return tool.Spec{
		Name: d.Tool, Description: d.Description, Input: parameters(d.Input), Output: d.Output,
		Risk: tool.Read, Kind: tool.Worker, Toolset: "workers", Provider: d.ID, Target: d.ID,
		Rules: []string{"worker.call"}, Uses: []string{d.ID},
	}
}

// extras are the arguments that every delegation takes in addition to the worker's own input.
var extras = []struct{ name, schema string }{
	{"instructions", `{"type":"string","description":"additional instructions for this call only"}`},
	{"attachments", `{"type":"array","items":{"type":"string"},"description":"paths of files to hand over"}`},
	{"prior", `{"type":"array","items":{"type":"string"},"description":"names of tools called before, whose results to hand over"}`},
}

// composed are the schema keywords that can allow fields which properties does not list.
var composed = []string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "patternProperties", "unevaluatedProperties"}

// objectInput decodes an input schema and its fields. ok is false if there is no schema, or
// if it does not describe an object: then the worker's input is one string.
func objectInput(input json.RawMessage) (schema, fields map[string]json.RawMessage, ok bool) {
	if len(input) == 0 || json.Unmarshal(input, &schema) != nil {
		return nil, nil, false
	}
	if raw := schema["properties"]; raw != nil && json.Unmarshal(raw, &fields) != nil {
		return nil, nil, false
	}
	if string(schema["type"]) != `"object"` && fields == nil {
		return nil, nil, false
	}
	return schema, fields, true
}

// parameters returns the schema of the tool for a worker: the fields of an object input
// schema, else one string "input", and the extras unless a field has the same name. Other
// fields are refused, unless the worker's schema says otherwise.
func parameters(input json.RawMessage) json.RawMessage {
	schema, fields, ok := objectInput(input)
	if !ok {
		schema = map[string]json.RawMessage{"required": json.RawMessage(`["input"]`)}
		fields = map[string]json.RawMessage{"input": json.RawMessage(`{"type":"string","description":"the task"}`)}
	}
	if fields == nil {
		fields = map[string]json.RawMessage{}
	}
	for _, e := range extras {
		if _, own := fields[e.name]; !own {
			fields[e.name] = json.RawMessage(e.schema)
		}
	}
	schema["type"], schema["properties"] = json.RawMessage(`"object"`), mustJSON(fields)
	open := slices.ContainsFunc(composed, func(word string) bool { return schema[word] != nil })
	if _, set := schema["additionalProperties"]; !set && !open {
		schema["additionalProperties"] = json.RawMessage("false")
	}
	return mustJSON(schema)
}

// mustJSON encodes a value that consists of JSON. If encoding fails, it returns a schema
// against which nothing is valid.
func mustJSON(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage(`{"not":{}}`)
	}
	return raw
}

// workerCall is the tool worker_call, which gets the worker as an argument.
type workerCall struct {
	Delegation
	spec tool.Spec
}

func newWorkerCall(t Delegation) *workerCall {
	var b strings.Builder
	b.WriteString("Calls a worker and returns its answer. Workers:")
	var ids []string
	for _, d := range t.Workers {
		b.WriteString("\n- " + d.ID + ": " + d.Description + takes(d))
		ids = append(ids, d.ID)
	}
	return &workerCall{Delegation: t, spec: tool.Spec{
		Name: "worker_call", Description: b.String(), Risk: tool.Read, Kind: tool.Worker,
		Toolset: "workers", Provider: "workers", Rules: []string{"worker.call"}, Uses: ids,
		Input: mustJSON(map[string]any{
			"type": "object", "required": []any{"worker", "input"}, "additionalProperties": false,
			"properties": map[string]any{
				"worker":       map[string]any{"type": "string", "description": "the worker's ID, or ./path of its file"},
				"input":        map[string]any{"type": []any{"string", "object"}, "description": "the task: a text or an object"},
				"instructions": json.RawMessage(extras[0].schema),
				"attachments":  json.RawMessage(extras[1].schema),
				"prior":        json.RawMessage(extras[2].schema),
			},
		}),
	}}
}

// takes describes the fields of a worker's object input in a sentence, because the schema
// of worker_call does not have them.
func takes(d Delegate) string {
	schema, fields, ok := objectInput(d.Input)
	if !ok {
		return ""
	}
	var required []string
	if json.Unmarshal(schema["required"], &required) != nil {
		required = nil // the validator reports missing fields
	}
	names := slices.Sorted(maps.Keys(fields))
	for i, n := range names {
		if slices.Contains(required, n) {
			names[i] = n + " (required)"
		}
	}
	return " Input is an object: " + strings.Join(names, ", ") + "."
}

// Spec returns the metadata of worker_call.
func (g *workerCall) Spec() tool.Spec { return g.spec }

// Preview returns the files that the call attaches, and an error, before anybody is asked, if
// the worker may not be called or its schema refuses the input.
func (g *workerCall) Preview(_ context.Context, c tool.Call) (tool.Preview, error) {
	d, args, err := g.find(c.Args)
	if err != nil {
		return tool.Preview{}, err
	}
	flat, err := flatten(d, args)
	if err != nil {
		return tool.Preview{}, err
	}
	return tool.Preview{Paths: attached(g.Files, d, flat)}, nil
}

// find reads the arguments and returns the worker that they name.
func (g *workerCall) find(given *tool.Arguments) (d Delegate, args map[string]json.RawMessage, err error) {
	args = given.Fields()
	var id string
	if err := json.Unmarshal(args["worker"], &id); err != nil {
		return d, nil, fault.New(fault.ToolInput, "worker_call: worker must be a string")
	}
	i := slices.IndexFunc(g.Workers, func(d Delegate) bool { return d.ID == id })
	if i < 0 {
		i = slices.IndexFunc(g.Workers, func(d Delegate) bool { return d.Tool == id || d.Named(id) })
	}
	if i < 0 && g.Unknown != nil {
		return d, nil, g.Unknown(id)
	}
	if i < 0 {
		ids := make([]string, len(g.Workers))
		for j, d := range g.Workers {
			ids[j] = d.ID
		}
		return d, nil, fault.New(fault.NotAllowed, "the worker %q may not be called", id).
			Hinting("allowed workers: %s", strings.Join(ids, ", "))
	}
	return g.Workers[i], args, nil
}

// Call calls the worker that the arguments name, if it is allowed. The worker gets its
// arguments in the form of its own tool (S0-06).
func (g *workerCall) Call(ctx context.Context, c tool.Call) (tool.Output, error) {
	d, args, err := g.find(c.Args)
	if err != nil {
		return tool.Output{}, err
	}
	flat, err := flatten(d, args)
	if err != nil {
		return tool.Output{}, err
	}
	c.Args, c.Name = flat, d.Tool
	return d.Run(ctx, c)
}

// flatten changes the arguments of worker_call into the form of the worker's own tool and
// validates them against its schema. If the worker has no input schema, an object is its
// complete input (S1-84).
func flatten(d Delegate, args map[string]json.RawMessage) (*tool.Arguments, error) {
	_, fields, typed := objectInput(d.Input)
	flat := map[string]json.RawMessage{}
	var object map[string]json.RawMessage
	if typed && json.Unmarshal(args["input"], &object) == nil && object != nil {
		flat = object
	} else {
		flat["input"] = args["input"]
	}
	for _, e := range extras {
		v, given := args[e.name]
		if !given {
			continue
		}
		if _, own := fields[e.name]; own {
			return nil, fault.New(fault.ToolInput, "%s has its own field %s", d.ID, e.name).Hinting("write it inside input")
		}
		if _, twice := flat[e.name]; twice {
			return nil, fault.New(fault.ToolInput, "%s is given twice", e.name).Hinting("write it beside input, not inside")
		}
		flat[e.name] = v
	}
	out, err := tool.MakeArguments(&flat)
	if err != nil || len(d.Input) == 0 {
		return out, err // the schema of worker_call has already been checked
	}
	schema, err := tool.Compile(parameters(d.Input))
	if err != nil {
		return nil, err
	}
	if vs := schema.Check(out); len(vs) > 0 {
		return nil, tool.InputFault(d.ID, vs)
	}
	return out, nil
}

type question struct {
	Question string   `json:"question" jsonschema:"what is missing, as one clear question"`
	Options  []string `json:"options,omitempty" jsonschema:"answers to choose from, if there are some"`
}

// RequestInput returns the tool with which a worker asks its caller for missing
// information (S4-09): the call ends the worker's run, and the question is its
// result. It always returns the same value.
func RequestInput() tool.Tool { return requestInput() }

// requestInput makes the tool once, because inferring its schema is slow.
var requestInput = sync.OnceValue(func() tool.Tool {
	return tool.Func(tool.Spec{
		Name: "request_input", Description: "Ends this run by asking the caller for information that is missing. Use it only when you cannot do the task without.",
		Risk: tool.Read, Toolset: "golem", Provider: "builtin",
	}, func(_ context.Context, q question) (tool.Output, error) {
		if strings.TrimSpace(q.Question) == "" {
			return tool.Output{}, fault.New(fault.ToolInput, "the question is empty").Hinting("write which information is missing")
		}
		return tool.Output{NeedsInput: true, Kind: "json", Text: q.Question, Data: mustJSON(q)}, nil
	})
})
