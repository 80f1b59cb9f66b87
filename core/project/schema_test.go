package project

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"golem/core/fault"
)

const schemas = `
-- workers/deep/w.worker --
---
input_schema: REF
---
hi
-- workers/deep/near.json --
{"type": "object", "properties": {"n": {"type": "integer"}}}
-- schemas/far.json --
{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://example.com/far.json",
  "$defs": {
    "Name": {"type": "object", "properties": {"child": {"$ref": "#/$defs/Name"}, "other": {"$ref": "#/$defs/Other"}, "pick": {"enum": [{"$ref": "nowhere.json"}]}}},
    "Other": {"$ref": "parts/part.json#/$defs/Leaf"},
    "a/b": {"type": "string"},
    "Anchored": {"$anchor": "here", "type": "null"}
  },
  "type": "object",
  "properties": {"$ref": {"type": "string"}, "x": {"$ref": "#/$defs/Other"}, "all": {"items": {"$ref": "#"}}, "nil": {"$ref": "#here"}}
}
-- schemas/parts/part.json --
{"$defs": {"Leaf": {"type": "array", "items": {"$ref": "../far.json#/$defs/Name"}}, "Up": {"$ref": "part2.json"}}}
-- schemas/parts/part2.json --
{"type": "object", "properties": {"back": {"$ref": "part.json#/$defs/Up"}, "me": {"$ref": "#"}}}
-- schemas/remote.json --
{"$ref": "https://example.com/x.json"}
-- schemas/dup.json --
{
 "type": "object",
 "type": "array"}
-- schemas/bad.json --
{"type": "object",
  nonsense}
-- schemas/odd.json --
{"type": "objekt"}
-- schemas/list.json --
[1]
-- workers/deep/model.json --
{"$defs": {"P": {"type": "object", "required": ["a"]}}}
`

func schemaOf(t *testing.T, ref string) (string, error) {
	t.Helper()
	p := open(t, demo(strings.Replace(schemas, "REF", ref, 1)))
	w, err := p.Workers.Find("deep/w")
	if err != nil {
		return "", err
	}
	return string(w.Input), nil
}

func TestSchemaForms(t *testing.T) {
	for ref, want := range map[string]string{
		`{type: object, properties: {z: {type: integer, default: 1}, a: {}}}`: `{"type":"object","properties":{"z":{"type":"integer","default":1},"a":{}}}`,
		`near.json`:                 `{"type":"object","properties":{"n":{"type":"integer"}}}`,
		`./near.json#/properties/n`: `{"type":"integer"}`,
		`{$ref: "near.json"}`:       `{"$ref":"#/$defs/near","$defs":{"near":{"type":"object","properties":{"n":{"type":"integer"}}}}}`,
		`model.json:P`:              `{"type":"object","required":["a"]}`,
		`model.py:P`:                `{"type":"object","required":["a"]}`,
		`far.json#/$defs/a~1b`:      `{"type":"string"}`,
		`far.json#here`:             `{"type":"null"}`,
		`parts/part2.json`:          `{"type":"object","properties":{"back":{"$ref":"#/$defs/Up"},"me":{"$ref":"#"}},"$defs":{"Up":{"$ref":"#"}}}`,
	} {
		if got, err := schemaOf(t, ref); err != nil || got != want {
			t.Errorf("%s:\n got %s %v\nwant %s", ref, got, err, want)
		}
	}
}

func TestSchemaReferencesAreGathered(t *testing.T) {
	raw, err := schemaOf(t, "far.json")
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil) // with no loader: it must need no other file
	if err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	for value, ok := range map[string]bool{
		`{"x": [{"child": {}}]}`: true, `{"x": [{"child": 1}]}`: false, `{"x": [{"other": [{"child": {"child": 3}}]}]}`: false,
		`{"all": [{"x": []}]}`: true, `{"all": [{"x": 1}]}`: false, `{"$ref": "text"}`: true, `{"$ref": 1}`: false, `{"nil": null}`: true, `{"nil": 1}`: false,
	} {
		var v any
		if err := json.Unmarshal([]byte(value), &v); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(v); (err == nil) != ok {
			t.Errorf("%s: %v", value, err)
		}
	}
	if strings.Contains(raw, ".json#") || strings.Contains(raw, "$id") || !strings.Contains(raw, "nowhere.json") {
		t.Errorf("%s", raw)
	}
}

// Scenario 33, the configuration
func TestSchemaFaults(t *testing.T) {
	for ref, want := range map[string]string{
		`s.py:P`:           "workers/deep/w.worker:2:15: E_SCHEMA_LANGUAGE",
		`app.models.Pitch`: "app/models.json#/$defs/Pitch",
		`nope.json`:        "workers/deep/nope.json, schemas/nope.json",
		`near.txt`:         "E_SCHEMA",
		`../x.json`:        "E_PATH",
		`/x.json`:          "E_PATH",
		`model.json:Q`:     "did you mean P",
		`remote.json`:      "schemas/remote.json:1:10: E_SCHEMA: \"https://example.com/x.json\" is a remote schema",
		`dup.json`:         "schemas/dup.json:3:2: E_SCHEMA: duplicate key \"type\"",
		`bad.json`:         "schemas/bad.json:2:3: E_SCHEMA: malformed JSON",
		`odd.json`:         "E_SCHEMA",
		`list.json`:        "expected a JSON Schema, found a list",
		`{$ref: "#/nope"}`: "workers/deep/w.worker:2:22: E_SCHEMA",
		`{properties: {a: {$ref: "https://x/y"}}}`: "is a remote schema",
		`{pattern: "("}`:  "E_SCHEMA",
		`{default: .nan}`: "E_SCHEMA",
	} {
		if got, err := schemaOf(t, ref); err == nil {
			t.Errorf("%s: no error but %s", ref, got)
		} else if !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), ":") {
			t.Errorf("%s:\n got %v\nwant %s", ref, err, want)
		}
	}
	_, err := schemaOf(t, "s.py:P")
	wantFault(t, err, fault.SchemaLanguage, "s.json")
}
