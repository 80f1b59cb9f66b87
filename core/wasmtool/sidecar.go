package wasmtool

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"

	"gopkg.in/yaml.v3"

	"golem/core/fault"
	"golem/core/yamltree"
)

// sidecarKeys are the keys of a tool in a sidecar. hintKeys are those of its
// annotations, which MCP defines; golem uses destructiveHint.
var (
	sidecarKeys = []string{
		"name", "description", "inputSchema", "outputSchema", "annotations", "risk", "exec", "needs_approval", "stateful", "timeout",
		"command", "stdin",
	}
	hintKeys = []string{"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
)

// Limits of a sidecar.
const (
	maxSidecar = 256 << 10 // bytes
	maxNodes   = 20_000    // values; each use of an alias counts
	maxNesting = 64
)

// ParseSidecar parses NAME.tools.yaml: a description in JSON, or the same in
// YAML (SPEC §16). Unknown and duplicate keys are errors with their line, as is
// everything else that is wrong.
func ParseSidecar(raw []byte, file string) ([]Description, error) {
	if len(raw) > maxSidecar {
		return nil, fault.New(fault.Config, "the description has %d bytes; at most %d are allowed", len(raw), maxSidecar).At(file, 0, 0)
	}
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	root, bad := nodes(raw, file)
	if bad != nil {
		return nil, bad
	}
	r := &sidecar{file: file, left: maxNodes}
	var out bytes.Buffer
	r.write(&out, root, 0)
	if r.fault == nil {
		r.known(root)
	}
	if r.fault != nil {
		return nil, r.fault
	}
	ds, flaw := readDescriptions(out.Bytes())
	if flaw != nil {
		n := placeOf(root, flaw)
		return nil, flaw.fault.At(file, n.Line, n.Column)
	}
	return ds, nil
}

// nodes parses one document. JSON has a parser of its own, because yaml.v3 does
// not support JSON's tabs and all its escapes.
func nodes(raw []byte, file string) (n *yaml.Node, bad *fault.Fault) {
	defer func() {
		if recover() != nil { // a panic of the YAML library must not end golem
			n, bad = nil, fault.New(fault.Config, "the description is not valid YAML").At(file, 0, 0)
		}
	}()
	if jsonObject(raw) && json.Valid(raw) {
		return jsonNodes(raw, file)
	}
	if yamltree.IsUTF16(raw) {
		return nil, fault.New(fault.Config, "the file is UTF-16").Hinting("save it as UTF-8").At(file, 1, 1)
	}
	if i := bytes.IndexByte(raw, 0); i >= 0 {
		return nil, fault.New(fault.Config, "the description contains a NUL byte, so it is not a text file").At(file, 1+bytes.Count(raw[:i], []byte("\n")), 0)
	}
	dec := yamltree.NewDecoder(raw)
	var doc, more yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0 {
		return nil, fault.New(fault.Config, "the description is empty").Hinting("write tools: and a list of them").At(file, 0, 0)
	} else if err != nil {
		return nil, yamltree.Diagnose(file, raw, err)
	}
	if err := dec.Decode(&more); err == nil {
		return nil, fault.New(fault.Config, "the description must be one YAML document, and the file has several").At(file, more.Line, more.Column)
	} else if !errors.Is(err, io.EOF) {
		return nil, yamltree.Diagnose(file, raw, err)
	}
	return doc.Content[0], nil
}

// placeOf returns the node that a flaw is about: the key, otherwise its tool,
// otherwise the document.
func placeOf(root *yaml.Node, f *flaw) *yaml.Node {
	tools := resolved(resolved(root).Content[1])
	if f.tool < 0 || f.tool >= len(tools.Content) {
		return root
	}
	t := tools.Content[f.tool]
	if fields := resolved(t); fields.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(fields.Content); i += 2 {
			if fields.Content[i].Value == f.key {
				return fields.Content[i+1]
			}
		}
	}
	return t
}

// resolved returns what an alias refers to.
func resolved(n *yaml.Node) *yaml.Node {
	for i := 0; n.Kind == yaml.AliasNode && n.Alias != nil && i < maxNesting; i++ {
		n = n.Alias
	}
	return n
}

// jsonReader converts JSON into YAML nodes with their positions.
type jsonReader struct {
	raw  []byte
	dec  *json.Decoder
	seen int // bytes whose lines are counted already
	line int
	bol  int // where the current line begins
}

func jsonNodes(raw []byte, file string) (*yaml.Node, *fault.Fault) {
	r := &jsonReader{raw: raw, dec: json.NewDecoder(bytes.NewReader(raw)), line: 1}
	r.dec.UseNumber()
	n, err := r.value(0)
	if err != nil {
		return nil, fault.New(fault.Config, "malformed JSON: %s", Escape([]byte(err.Error()), 200)).At(file, r.line, 0)
	}
	return n, nil
}

var errTooDeep = errors.New("it is nested too deep")

func (r *jsonReader) value(depth int) (*yaml.Node, error) {
	if depth > maxNesting {
		return nil, errTooDeep
	}
	n := r.place()
	t, err := r.dec.Token()
	if err != nil {
		return nil, err
	}
	n.Kind = yaml.ScalarNode
	switch t := t.(type) {
	case json.Delim:
		return n, r.inside(n, t, depth)
	case string:
		n.Tag, n.Value = "!!str", t
	case json.Number:
		n.Tag, n.Value = "!!float", t.String()
	case bool:
		n.Tag, n.Value = "!!bool", strconv.FormatBool(t)
	default:
		n.Tag = "!!null"
	}
	return n, nil
}

// inside reads the content of an array or object; for an object, keys and
// values alternate.
func (r *jsonReader) inside(n *yaml.Node, open json.Delim, depth int) error {
	n.Kind = yaml.SequenceNode
	if open == '{' {
		n.Kind = yaml.MappingNode
	}
	for r.dec.More() {
		v, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		n.Content = append(n.Content, v)
	}
	_, err := r.dec.Token()
	return err
}

// place returns an empty node with the position of the next value.
func (r *jsonReader) place() *yaml.Node {
	at := int(r.dec.InputOffset())
	for at < len(r.raw) && bytes.IndexByte([]byte(" \t\r\n,:"), r.raw[at]) >= 0 {
		at++
	}
	for ; r.seen < at; r.seen++ {
		if r.raw[r.seen] == '\n' {
			r.line++
			r.bol = r.seen + 1
		}
	}
	return &yaml.Node{Line: r.line, Column: at - r.bol + 1}
}
