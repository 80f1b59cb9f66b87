package wasmtool

import (
	"context"
	"encoding/json"
	"strings"

	"golem/core/fault"
	"golem/core/wasmtool/guard"
)

// shape is which of the three forms of SPEC §6 a module has, by its exports.
type shape string

const (
	servlet shape = "describe/call"
	hyper   shape = "list_tools/call_tool"
	command shape = "command"
	plain   shape = "exports" // none of them: exports that were named one by one
)

// shape recognises the form.
func (m *Module) shape(ctx context.Context) (shape, error) {
	if _, err := m.Digest(ctx); err != nil {
		return "", err
	}
	if m.info.Component {
		return "", m.component()
	}
	if m.alien != nil && m.alien.always {
		return "", m.alien.fault(m.source.Path)
	}
	return shapeOf(m.info), nil
}

func shapeOf(info guard.Info) shape {
	has := func(names ...string) bool {
		for _, n := range names {
			if _, ok := info.Exported(n); !ok {
				return false
			}
		}
		return true
	}
	switch {
	case has("describe", "call"):
		return servlet
	case has("list_tools", "call_tool"):
		return hyper
	case has("_start"):
		return command
	}
	return plain
}

// extism tells whether an export can take and return Extism input and output:
// no parameters, and the number of an error or nothing as its result.
func extism(e guard.Export) bool {
	return e.Params == "" && (e.Results == "" || e.Results == "i32")
}

// callable are the exports of a module that could be tools, if a worker named
// them: those that a language's runtime calls are not.
func callable(info guard.Info) []string {
	var out []string
	for _, e := range info.Exports {
		if e.Kind == "func" && extism(e) && !e.Imported && !strings.HasPrefix(e.Name, "_") && e.Name != hsInit {
			out = append(out, e.Name)
		}
	}
	return out
}

// contract is the fault of a module that offers nothing golem can call, unless
// a worker names one of its exports.
func (m *Module) contract() error {
	names := callable(m.info)
	if m.alien != nil {
		return m.alien.fault(m.source.Path)
	}
	if len(names) > 0 {
		return fault.New(fault.ToolContract, "tool module missing `register`: %s does not describe its tools; it exports %s", m.source.Path, exported(m.info)).
			Hinting("name the exports that are tools in a worker (toolsets: {custom: {tools: [%s]}}), or describe them in %s", Escape([]byte(names[0]), 60), sidecarName(m.source.Path)).
			At(m.source.Path, 0, 0)
	}
	return fault.New(fault.ToolContract, "tool module missing `register`: %s has neither describe and call, nor list_tools and call_tool, nor _start; it exports %s", m.source.Path, exported(m.info)).
		Hinting("export describe and call, or list_tools and call_tool, or _start, or functions that take Extism input; golem tool new writes a first tool").
		At(m.source.Path, 0, 0)
}

// exported lists the functions of a module, the first few of many.
func exported(info guard.Info) string {
	var names []string
	for _, e := range info.Exports {
		if e.Kind == "func" {
			names = append(names, e.Name)
		}
	}
	if len(names) == 0 {
		return "no function"
	}
	return few(names, 20)
}

// sidecarName is where a module's description may lie beside it.
func sidecarName(path string) string { return strings.TrimSuffix(path, ".wasm") + ".tools.yaml" }

// hyperContext is what the second form's plug-ins want to know of a request:
// they do not take one without an id and metadata.
func hyperContext(id string) map[string]any {
	return map[string]any{"id": id, "_meta": map[string]any{}}
}

// request is a call in a form's own shape. id is the call's.
func (m *Module) request(s shape, id, name string, args json.RawMessage) (Invocation, error) {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	in := Invocation{Form: Extism}
	params := map[string]any{"name": name, "arguments": args}
	var err error
	switch s {
	case servlet:
		in.Export = "call"
		in.Input, err = json.Marshal(map[string]any{"params": params})
	case hyper:
		in.Export = "call_tool"
		in.Input, err = json.Marshal(map[string]any{"request": params, "context": hyperContext(id)})
	case command:
		in.Form = Command
		in.Args = []string{m.base(), "call", name}
		in.Stdin = args
	default:
		in.Export, in.Input = name, args
	}
	return in, err
}

// base is the file's name, a command's argv[0].
func (m *Module) base() string { return m.source.Path[strings.LastIndexByte(m.source.Path, '/')+1:] }
