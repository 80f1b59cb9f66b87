package wasmtool

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"

	"gopkg.in/yaml.v3"

	"golem/core/fault"
	"golem/core/wasmtool/guard"
)

// sidecarKeys are the keys of one tool in a sidecar.
var sidecarKeys = []string{"name", "description", "inputSchema", "outputSchema", "risk", "exec", "needs_approval", "stateful", "timeout"}

// maxSidecar bounds a sidecar, in bytes.
const maxSidecar = 256 << 10

// ParseSidecar reads NAME.tools.yaml: the JSON of a description, written as
// YAML (SPEC §16). Unknown and duplicate keys are errors with their line.
func ParseSidecar(raw []byte, file string) ([]Description, error) {
	if len(raw) > maxSidecar {
		return nil, fault.New(fault.Config, "the description has %d bytes, at most %d are allowed", len(raw), maxSidecar).At(file, 0, 0)
	}
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); err != nil {
		return nil, fault.New(fault.Config, "the description is no YAML: %v", err).At(file, 0, 0)
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, fault.New(fault.Config, "the description is more than one YAML document").At(file, 0, 0)
	}
	r := &sidecar{file: file}
	var out bytes.Buffer
	r.write(&out, doc.Content[0], 0)
	if r.fault != nil {
		return nil, r.fault
	}
	r.known(doc.Content[0])
	if r.fault != nil {
		return nil, r.fault
	}
	ds, err := parseDescription(out.Bytes())
	if err != nil {
		return nil, fault.Of(err, fault.Config).At(file, 0, 0)
	}
	return ds, nil
}

// sidecar turns YAML nodes into JSON.
type sidecar struct {
	file  string
	fault *fault.Fault
}

func (r *sidecar) fail(n *yaml.Node, hint, format string, args ...any) {
	if r.fault == nil {
		r.fault = fault.New(fault.Config, format, args...).Hinting("%s", hint).At(r.file, n.Line, n.Column)
	}
}

// known refuses keys that a description does not have.
func (r *sidecar) known(n *yaml.Node) {
	if n.Kind != yaml.MappingNode || len(n.Content) != 2 || n.Content[0].Value != "tools" || n.Content[1].Kind != yaml.SequenceNode {
		r.fail(n, "write tools: and a list of them", "a description is a mapping with the one key tools")
		return
	}
	for _, t := range n.Content[1].Content {
		if t.Kind != yaml.MappingNode {
			r.fail(t, "write - name: …", "a tool is a mapping")
			return
		}
		for i := 0; i+1 < len(t.Content); i += 2 {
			if k := t.Content[i]; !slices.Contains(sidecarKeys, k.Value) {
				r.fail(k, fault.DidYouMean(k.Value, sidecarKeys), "unknown key %q of a tool", escaped([]byte(k.Value), 60))
			}
		}
	}
}

// write puts a node as JSON. There are no aliases in a description.
func (r *sidecar) write(out *bytes.Buffer, n *yaml.Node, depth int) {
	switch {
	case r.fault != nil:
	case depth > 64:
		r.fail(n, "", "the description is nested more than 64 deep")
	case n.Kind == yaml.MappingNode:
		r.mapping(out, n, depth)
	case n.Kind == yaml.SequenceNode:
		out.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				out.WriteByte(',')
			}
			r.write(out, item, depth+1)
		}
		out.WriteByte(']')
	case n.Kind == yaml.ScalarNode:
		r.scalar(out, n)
	default:
		r.fail(n, "write the value out", "a description has no YAML aliases")
	}
}

func (r *sidecar) mapping(out *bytes.Buffer, n *yaml.Node, depth int) {
	seen := map[string]bool{}
	out.WriteByte('{')
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if k.Kind != yaml.ScalarNode || seen[k.Value] {
			r.fail(k, "", "the key %q is there twice, or no text", escaped([]byte(k.Value), 60))
			return
		}
		seen[k.Value] = true
		if i > 0 {
			out.WriteByte(',')
		}
		r.text(out, k.Value)
		out.WriteByte(':')
		r.write(out, n.Content[i+1], depth+1)
	}
	out.WriteByte('}')
}

func (r *sidecar) text(out *bytes.Buffer, s string) {
	b, err := json.Marshal(s)
	if err != nil { // unreachable: strings can be marshalled
		b = []byte(`""`)
	}
	out.Write(b)
}

func (r *sidecar) scalar(out *bytes.Buffer, n *yaml.Node) {
	switch n.Tag {
	case "!!null":
		out.WriteString("null")
	case "!!bool":
		var v bool
		if err := n.Decode(&v); err != nil {
			r.fail(n, "", "no boolean: %q", escaped([]byte(n.Value), 40))
		}
		out.WriteString(strconv.FormatBool(v))
	case "!!int", "!!float":
		var v float64
		if err := n.Decode(&v); err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			r.fail(n, "", "no number: %q", escaped([]byte(n.Value), 40))
			return
		}
		if json.Valid([]byte(n.Value)) {
			out.WriteString(n.Value)
			return
		}
		out.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
	default:
		r.text(out, n.Value)
	}
}

// Pack is the module with a description, YAML or JSON, in its custom section.
// The description is checked first, and that the module can be run at all.
func Pack(module, description []byte, file string) ([]byte, error) {
	ds, err := ParseSidecar(description, file)
	if err != nil {
		return nil, err
	}
	if _, err := guard.Weave(module); err != nil {
		return nil, err
	}
	doc, err := json.Marshal(map[string]any{"tools": ds})
	if err != nil {
		return nil, fault.Of(err, fault.Config)
	}
	return guard.AppendCustom(module, Section, doc)
}
