package wasmtool

import (
	"context"
	"encoding/json"
	"strings"

	"golem/core/fault"
	"golem/core/tool"
	"golem/core/wasmtool/guard"
)

// shape is the form of a module (SPEC §6), which follows from its exports.
type shape string

const (
	servlet shape = "describe/call"
	hyper   shape = "list_tools/call_tool"
	command shape = "command"
	plain   shape = "exports" // none of the three; a worker can name single exports as tools
)

// shape returns the module's form. It reads the module, and fails for a component and
// for a module that can never work (foreign.always).
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

// extism reports whether an export can use Extism input and output: no
// parameters, and as its result an error number or nothing.
func extism(e guard.Export) bool {
	return e.Params == "" && (e.Results == "" || e.Results == "i32")
}

// callable returns the exports of a module that could be tools if a worker
// named them. Functions that a language's runtime calls are left out.
func callable(info guard.Info) []string {
	var out []string
	for _, e := range info.Exports {
		if e.Kind == "func" && extism(e) && !e.Imported && !strings.HasPrefix(e.Name, "_") && e.Name != hsInit {
			out = append(out, e.Name)
		}
	}
	return out
}

// contract returns the error for a module without any function that golem can
// call, unless a worker names one of its exports.
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
	if m.info.Size == emptySize {
		return fault.New(fault.ToolContract, "tool module missing `register`: %s is an empty module of %d bytes", m.source.Path, emptySize).
			Hinting("build the tool again; golem tool new writes a first tool").At(m.source.Path, 0, 0)
	}
	return fault.New(fault.ToolContract, "tool module missing `register`: %s has neither describe and call, nor list_tools and call_tool, nor _start; it exports %s", m.source.Path, exported(m.info)).
		Hinting("export describe and call, or list_tools and call_tool, or _start, or functions that take Extism input; golem tool new writes a first tool").
		At(m.source.Path, 0, 0)
}

// emptySize is the size of a module without any section.
const emptySize = 8

// exported lists the functions of a module, at most the first few.
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
	return firstNames(names, 20)
}

// sidecarName returns the path of the file beside a module that may describe it.
func sidecarName(path string) string { return strings.TrimSuffix(path, ".wasm") + ".tools.yaml" }

// hyperContext returns the context that plug-ins of the second form require: an id
// and metadata.
func hyperContext(id string) map[string]any {
	return map[string]any{"id": id, "_meta": map[string]any{}}
}

// request builds a call of a tool in the module's form. id is the id of the call.
func (m *Module) request(s shape, id string, d *Description, given *tool.Arguments) (Invocation, error) {
	name, args := d.Name, given.JSON()
	in := Invocation{Form: Extism}
	params := map[string]any{"name": name, "arguments": args}
	var err error
	if d.Command != nil && s != command {
		return in, fault.New(fault.ToolContract, "the description of %s has a command, and %s is not a WASI command: it has no _start", name, m.source.Path).
			Hinting("remove command from the description")
	}
	switch s {
	case servlet:
		in.Export = "call"
		in.Input, err = json.Marshal(map[string]any{"params": params})
	case hyper:
		in.Export = "call_tool"
		in.Input, err = json.Marshal(map[string]any{"request": params, "context": hyperContext(id)})
	case command:
		in.Form = Command
		if d.Command != nil {
			in.Args, in.Stdin, err = d.argv(given)
			in.Args = append([]string{m.base()}, in.Args...)
			return in, err
		}
		in.Args = []string{m.base(), "call", name}
		in.Stdin, in.Input = args, args // a plug-in may have no export but _start
	default:
		in.Export, in.Input = name, args
	}
	return in, err
}

// base returns the file's name, which is a command's argv[0].
func (m *Module) base() string { return m.source.Path[strings.LastIndexByte(m.source.Path, '/')+1:] }
