package wasmtool

import (
	"context"
	"encoding/json"
	"strings"

	"golem/core/fault"
	"golem/core/tool"
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
	has := func(names ...string) bool {
		for _, n := range names {
			if _, ok := m.info.Exported(n); !ok {
				return false
			}
		}
		return true
	}
	switch {
	case has("describe", "call"):
		return servlet, nil
	case has("list_tools", "call_tool"):
		return hyper, nil
	case has("_start"):
		return command, nil
	}
	return plain, nil
}

// contract is the fault of a module that offers nothing golem can call.
func (m *Module) contract() error {
	var names []string
	for _, e := range m.info.Exports {
		if e.Kind == "func" && len(names) < 20 {
			names = append(names, escaped([]byte(e.Name), 60))
		}
	}
	exports := "nothing"
	if len(names) > 0 {
		exports = strings.Join(names, ", ")
	}
	return fault.New(fault.ToolContract, "tool module missing `register`: %s has neither describe and call, nor list_tools and call_tool, nor _start; it exports %s", m.source.Path, exports).
		Hinting("export one of the three forms, or describe its functions in a custom section or %s", sidecarName(m.source.Path)).
		At(m.source.Path, 0, 0)
}

// sidecarName is where a module's description may lie beside it.
func sidecarName(path string) string { return strings.TrimSuffix(path, ".wasm") + ".tools.yaml" }

// request is a call in a form's own shape.
func (m *Module) request(s shape, name string, args json.RawMessage) (Invocation, error) {
	in := Invocation{Form: Extism}
	params := map[string]any{"name": name, "arguments": args}
	var err error
	switch s {
	case servlet:
		in.Export = "call"
		in.Input, err = json.Marshal(map[string]any{"params": params})
	case hyper:
		in.Export = "call_tool"
		in.Input, err = json.Marshal(map[string]any{"request": params, "context": map[string]any{}})
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

// reply is what a call of the first two forms answers.
type reply struct {
	Content           []content       `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent"`
	IsError           bool            `json:"isError"`
}

type content struct {
	Type     string    `json:"type"`
	Text     string    `json:"text"`
	Data     []byte    `json:"data"`
	MIME     string    `json:"mimeType"`
	Resource *resource `json:"resource"`
}

type resource struct {
	URI  string `json:"uri"`
	MIME string `json:"mimeType"`
	Text string `json:"text"`
	Blob []byte `json:"blob"`
}

// answer turns what a module returned into a tool's output.
func answer(s shape, name string, out []byte, structured bool) (tool.Output, error) {
	if s == command || s == plain {
		return verbatim(name, out, structured)
	}
	var r reply
	if err := json.Unmarshal(out, &r); err != nil {
		return tool.Output{}, fault.New(fault.ToolOutput, "%s returned no result in its form: %v", name, err).
			Hinting(`it must return {"content":[{"type":"text","text":…}]}`)
	}
	var o tool.Output
	var texts []string
	for _, c := range r.Content {
		switch c.Type {
		case "text":
			texts = append(texts, strings.ToValidUTF8(c.Text, "\uFFFD"))
		case "image":
			o.Parts = append(o.Parts, tool.Part{Type: "image", MIME: c.MIME, Data: c.Data})
		case "resource":
			if c.Resource == nil {
				return o, fault.New(fault.ToolOutput, "%s returned a resource without its content", name)
			}
			if c.Resource.Text != "" {
				texts = append(texts, strings.ToValidUTF8(c.Resource.Text, "\uFFFD"))
				continue
			}
			o.Parts = append(o.Parts, tool.Part{Type: "resource", MIME: c.Resource.MIME, Name: c.Resource.URI, Data: c.Resource.Blob})
		default:
			return o, fault.New(fault.ToolOutput, "%s returned content of type %q; text, image and resource are known", name, escaped([]byte(c.Type), 40))
		}
	}
	o.Text = strings.Join(texts, "\n")
	if r.IsError {
		return o, fault.New(fault.Tool, "%s", escaped([]byte(firstOf(o.Text, "it failed without a message")), 4096))
	}
	if len(r.StructuredContent) > 0 && string(r.StructuredContent) != "null" {
		o.Kind, o.Data = "json", r.StructuredContent
		return o, nil
	}
	return withData(o, structured), nil
}

// verbatim is the output of a command or a single export: text, or JSON.
func verbatim(_ string, out []byte, structured bool) (tool.Output, error) {
	o := tool.Output{Text: strings.TrimSuffix(strings.ToValidUTF8(string(out), "\uFFFD"), "\n")}
	return withData(o, structured), nil
}

// withData lifts a text that is JSON to data where the tool declares what it
// returns.
func withData(o tool.Output, structured bool) tool.Output {
	if structured && json.Valid([]byte(o.Text)) {
		o.Kind, o.Data = "json", json.RawMessage(o.Text)
	}
	return o
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
