package wasmtool

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"golem/core/fault"
)

// sidecar converts YAML nodes into JSON. It rejects what YAML has and JSON has
// not; only the first error is reported.
type sidecar struct {
	file  string
	left  int // values that may still be written
	fault *fault.Fault
}

func (r *sidecar) fail(n *yaml.Node, hint, format string, args ...any) {
	if r.fault == nil {
		r.fault = fault.New(fault.Config, format, args...).Hinting("%s", hint).At(r.file, n.Line, n.Column)
	}
}

// known reports keys that a description does not have.
func (r *sidecar) known(root *yaml.Node) {
	n := resolved(root)
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		r.fail(root, "write tools: and a list of them", "a description must be a mapping with exactly one key, tools")
		return
	}
	r.unknownKeys(n, "the description", []string{"tools"})
	tools := resolved(n.Content[1])
	if tools.Kind != yaml.SequenceNode {
		r.fail(n.Content[1], "write - name: …", "tools must be a list")
		return
	}
	for _, t := range tools.Content {
		fields := resolved(t)
		if fields.Kind != yaml.MappingNode {
			r.fail(t, "write - name: …", "a tool must be a mapping")
			return
		}
		r.unknownKeys(fields, "a tool", sidecarKeys)
		for i := 0; i+1 < len(fields.Content); i += 2 {
			if hints := resolved(fields.Content[i+1]); resolved(fields.Content[i]).Value == "annotations" && hints.Kind == yaml.MappingNode {
				r.unknownKeys(hints, "annotations", hintKeys)
			}
		}
	}
}

// unknownKeys reports the keys that are not in known.
func (r *sidecar) unknownKeys(n *yaml.Node, of string, known []string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i]; !slices.Contains(known, resolved(k).Value) {
			r.fail(k, fault.DidYouMean(resolved(k).Value, known), "unknown key %q of %s", Escape([]byte(resolved(k).Value), 60), of)
		}
	}
}

// write writes a node as JSON.
func (r *sidecar) write(out *bytes.Buffer, n *yaml.Node, depth int) {
	if r.fault != nil {
		return
	}
	if r.left--; r.left < 0 {
		r.fail(n, "each use of an alias counts", "the description has more than %d values", maxNodes)
		return
	}
	if depth > maxNesting {
		r.fail(n, "", "the description is nested more than %d levels deep", maxNesting)
		return
	}
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		r.write(out, n.Alias, depth+1)
		return
	}
	if n.Style&yaml.TaggedStyle != 0 {
		r.fail(n, "remove the tag; to write text, use quotes", "YAML tags are not allowed in a description; found %q", Escape([]byte(n.Tag), 40))
		return
	}
	switch n.Kind {
	case yaml.MappingNode:
		r.mapping(out, n, depth)
	case yaml.SequenceNode:
		out.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				out.WriteByte(',')
			}
			r.write(out, item, depth+1)
		}
		out.WriteByte(']')
	case yaml.ScalarNode:
		r.scalar(out, n)
	default:
		r.fail(n, "", "the description contains YAML that is not a value")
	}
}

func (r *sidecar) mapping(out *bytes.Buffer, n *yaml.Node, depth int) {
	seen := map[string]bool{}
	out.WriteByte('{')
	for i := 0; i+1 < len(n.Content) && r.fault == nil; i += 2 {
		at := n.Content[i]
		k := resolved(at)
		switch {
		case k.Kind != yaml.ScalarNode:
			r.fail(at, "", "a key must be text")
		case k.ShortTag() == "!!merge":
			r.fail(at, "write the keys out", "merge keys (<<) are not supported")
		case k.ShortTag() != "!!str" || k.Style&yaml.TaggedStyle != 0:
			r.fail(at, "put it in quotes", "the key %q is not text", Escape([]byte(k.Value), 60))
		case seen[k.Value]:
			r.fail(at, "remove one of them", "the key %q is given twice", Escape([]byte(k.Value), 60))
		}
		seen[k.Value] = true
		if i > 0 {
			out.WriteByte(',')
		}
		r.text(out, k)
		out.WriteByte(':')
		r.write(out, n.Content[i+1], depth+1)
	}
	out.WriteByte('}')
}

func (r *sidecar) text(out *bytes.Buffer, n *yaml.Node) {
	if !utf8.ValidString(n.Value) {
		r.fail(n, "save the file as UTF-8", "the text is not UTF-8")
		return
	}
	b, err := json.Marshal(n.Value)
	if err != nil { // unreachable: strings can be marshalled
		b = []byte(`""`)
	}
	out.Write(b)
}

func (r *sidecar) scalar(out *bytes.Buffer, n *yaml.Node) {
	switch n.ShortTag() {
	case "!!null":
		out.WriteString("null")
	case "!!bool":
		var v bool
		if err := n.Decode(&v); err != nil {
			r.fail(n, "write true or false", "%q is not a boolean", Escape([]byte(n.Value), 40))
		}
		out.WriteString(strconv.FormatBool(v))
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			out.WriteString(n.Value)
			return
		}
		var v float64
		if err := n.Decode(&v); err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			r.fail(n, "put text in quotes", "%q is not a number", Escape([]byte(n.Value), 40))
			return
		}
		out.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
	default:
		r.text(out, n)
	}
}
