package worktest

import (
	"encoding/json"
	"io/fs"
	"path"
	"strings"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/sandbox"
)

// SchemaFiles reads the JSON Schemas that cases name: from the root of the project, then
// from schemas/.
type SchemaFiles struct{ FS fs.FS }

var _ Schemas = SchemaFiles{}

// Schema returns the schema of file.json or file.json#/$defs/Name.
func (s SchemaFiles) Schema(ref string) (json.RawMessage, error) {
	name, fragment, _ := strings.Cut(ref, "#")
	if !strings.HasSuffix(name, ".json") || fragment != "" && !strings.HasPrefix(fragment, "/$defs/") {
		return nil, fault.New(fault.Schema, "%s is not the reference of a schema", fault.Quoted(ref)).Hinting("write file.json or file.json#/$defs/Name")
	}
	name, err := sandbox.Clean(name)
	if err != nil {
		return nil, err
	}
	data, err := sandbox.ReadFile(s.FS, name, config.MaxFile)
	if err != nil {
		data, err = sandbox.ReadFile(s.FS, path.Join("schemas", name), config.MaxFile)
	}
	if err != nil {
		return nil, fault.New(fault.Schema, "the schema file %s cannot be read: %s", name, fault.Of(err, fault.NotFound).Message)
	}
	if fragment == "" {
		return data, nil
	}
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return nil, fault.New(fault.Schema, "the schema file %s is not a JSON object", name)
	}
	return json.Marshal(map[string]any{"$defs": whole["$defs"], "$ref": "#" + fragment})
}
