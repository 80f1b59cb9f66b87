package wasmtool

import (
	"bytes"
	"encoding/json"

	"golem/core/fault"
	"golem/core/yamltree"
)

// maxSidecar is the largest sidecar, in bytes.
const maxSidecar = 256 << 10

// sidecarShape has the keys that a sidecar may have. readDescriptions checks their values,
// as it does for every description. Of a tool's annotations, which MCP defines, golem uses
// only destructiveHint.
var sidecarShape = func() *yamltree.Shape {
	tool := keysOf("name", "description", "inputSchema", "outputSchema", "risk", "exec", "needs_approval", "stateful", "timeout", "command", "stdin")
	tool.Keys["annotations"] = keysOf("title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
	file := yamltree.KeysOf(map[string]*yamltree.Shape{"tools": yamltree.ListOf(tool)})
	file.Musts = []string{"tools"}
	return file
}()

// keysOf returns the shape of a mapping with these keys and any values.
func keysOf(names ...string) *yamltree.Shape {
	keys := map[string]*yamltree.Shape{}
	for _, name := range names {
		keys[name] = &yamltree.Shape{Any: true}
	}
	return yamltree.KeysOf(keys)
}

// ParseSidecar parses NAME.tools.yaml: a description in JSON, or the same in
// YAML (SPEC §16). Errors in the content have a line, also unknown and duplicate keys.
// file is the sidecar's name in messages.
func ParseSidecar(raw []byte, file string) ([]Description, error) {
	if len(raw) > maxSidecar {
		return nil, fault.New(fault.Config, "the description has %d bytes; at most %d are allowed", len(raw), maxSidecar).At(file, 0, 0)
	}
	root, err := sidecarTree(raw, file)
	if err != nil {
		return nil, err
	}
	if root == nil {
		return nil, fault.New(fault.Config, "the description is empty").Hinting("write tools: and a list of them").At(file, 0, 0)
	}
	var c yamltree.Conformer
	if c.Conform(root, sidecarShape, ""); len(c.Faults) > 0 {
		return nil, c.Faults.Err()
	}
	doc, err := root.JSON()
	if err != nil {
		return nil, err
	}
	ds, flaw := readDescriptions(doc)
	if flaw != nil {
		at := placeOf(root, flaw)
		return nil, flaw.fault.At(file, at.Line, at.Column)
	}
	return ds, nil
}

// sidecarTree parses one document; the node is nil if the document is empty. JSON has a
// parser of its own, because yaml.v3 does not support JSON's tabs and all its escapes.
func sidecarTree(raw []byte, file string) (*yamltree.Node, error) {
	if text := bytes.TrimPrefix(raw, []byte("\ufeff")); jsonObject(text) && json.Valid(text) {
		n, bad := yamltree.ParseJSON(file, raw)
		if bad != nil {
			bad.Code = fault.Config
			return nil, bad
		}
		return n, nil
	}
	n, faults := yamltree.Parse(file, raw)
	return n, faults.Err()
}

// placeOf returns the node that a flaw is about: the key, otherwise its tool,
// otherwise the document.
func placeOf(root *yamltree.Node, f *flaw) *yamltree.Node {
	tools := root.Get("tools").Items
	if f.tool < 0 || f.tool >= len(tools) {
		return root
	}
	if value := tools[f.tool].Get(f.key); value != nil {
		return value
	}
	return tools[f.tool]
}
