package wasmtool

import (
	"context"
	"encoding/json"
	"fmt"
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

// contract is the fault of a module that offers nothing golem can call.
func (m *Module) contract() error {
	return fault.New(fault.ToolContract, "tool module missing `register`: %s has neither describe and call, nor list_tools and call_tool, nor _start; it exports %s", m.source.Path, exported(m.info)).
		Hinting("export one of the three forms, or describe its functions in a custom section or %s", sidecarName(m.source.Path)).
		At(m.source.Path, 0, 0)
}

// exported lists the functions of a module, the first few of many.
func exported(info guard.Info) string {
	const most = 20
	var names []string
	more := 0
	for _, e := range info.Exports {
		switch {
		case e.Kind != "func":
		case len(names) == most:
			more++
		default:
			names = append(names, Escape([]byte(e.Name), 60))
		}
	}
	if len(names) == 0 {
		return "no function"
	}
	if more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
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
