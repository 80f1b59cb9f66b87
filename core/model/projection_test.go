package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"golem/core/fault"
	"golem/core/tool"
)

// projectedCases are schemas that some provider refuses, with what openai and anthropic get
// and, where it differs, google.
var projectedCases = []struct{ name, in, want, google string }{
	{"a plain one is not written again", `{ "type":"object","properties":{"a":{"type":"string"}} }`, `{ "type":"object","properties":{"a":{"type":"string"}} }`, ""},
	{"anyOf at the top", `{"anyOf":[{"type":"object","properties":{"a":{"type":"string"},"c":{"type":"string"}},"required":["a","c"]},{"type":"object","properties":{"b":{"type":"string"},"c":{"type":"integer"}},"required":["b","c"]}]}`,
		`{"properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"anyOf":[{"type":"string"},{"type":"integer"}]}},"required":["c"],"type":"object"}`, ""},
	{"oneOf beside properties", `{"type":"object","properties":{"q":{"type":"string"}},"required":["q"],"oneOf":[{"required":["a"],"properties":{"a":{}}},{"type":"null"}]}`,
		`{"properties":{"a":{},"q":{"type":"string"}},"required":["q","a"],"type":"object"}`, ""},
	{"allOf with references", `{"$schema":"http://json-schema.org/draft-07/schema#","allOf":[{"$ref":"#/definitions/A"},{"properties":{"b":{}},"required":["b"]}],"definitions":{"A":{"type":"object","properties":{"a":{"const":1}},"required":["a"]}}}`,
		`{"definitions":{"A":{"properties":{"a":{"const":1}},"required":["a"],"type":"object"}},"properties":{"a":{"const":1},"b":{}},"required":["a","b"],"type":"object"}`,
		`{"definitions":{"A":{"properties":{"a":{"enum":[1]}},"required":["a"],"type":"object"}},"properties":{"a":{"enum":[1]},"b":{}},"required":["a","b"],"type":"object"}`},
	{"a reference at the top", `{"$ref":"#/$defs/A","$defs":{"A":{"type":"object","properties":{"a":{"type":"string"}}}}}`,
		`{"$defs":{"A":{"properties":{"a":{"type":"string"}},"type":"object"}},"properties":{"a":{"type":"string"}},"type":"object"}`, ""},
	{"a tuple of draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"t":{"type":"array","items":[{"type":"string"},{"type":"integer"}],"minItems":2,"maxItems":2}}}`,
		`{"properties":{"t":{"items":{"anyOf":[{"type":"string"},{"type":"integer"}]},"maxItems":2,"minItems":2,"type":"array"}},"type":"object"}`, ""},
	{"a tuple of 2020-12", `{"type":"object","properties":{"t":{"type":"array","prefixItems":[{"type":"string"},{"type":"string"}],"items":false}}}`,
		`{"properties":{"t":{"items":{"type":"string"},"type":"array"}},"type":"object"}`, ""},
	{"a list of anything", `{"type":"object","properties":{"l":{"type":"array"},"any":true,"none":false}}`,
		`{"properties":{"any":{},"l":{"items":{},"type":"array"}},"type":"object"}`, ""},
	{"odd patterns", `{"type":"object","properties":{"pattern":{"type":"string","pattern":"^(?!x)a$"},"u":{"pattern":"^\\p{L}+$"},"ok":{"pattern":"^(?:a|b)$"},"n":{"type":"integer","maximum":9223372036854775807}}}`,
		`{"properties":{"n":{"maximum":9223372036854775807,"type":"integer"},"ok":{"pattern":"^(?:a|b)$"},"pattern":{"type":"string"},"u":{}},"type":"object"}`, ""},
	{"object or null", `{"type":["object","null"],"properties":{"a":{}}}`, `{"properties":{"a":{}},"type":"object"}`, ""},
	{"if and then", `{"type":"object","properties":{"k":{}},"if":{"properties":{"k":{"const":1}}},"then":{"properties":{"x":{"type":"string"}},"required":["x"]},"not":{"required":["y"]}}`,
		`{"properties":{"k":{},"x":{"type":"string"}},"type":"object"}`, `{"properties":{"k":{}},"type":"object"}`},
	{"limits", `{"type":"object","properties":{"n":{"exclusiveMinimum":0}},"propertyNames":{"pattern":"^a"}}`,
		`{"type":"object","properties":{"n":{"exclusiveMinimum":0}},"propertyNames":{"pattern":"^a"}}`, `{"properties":{"n":{"minimum":0}},"type":"object"}`},
	{"true", `true`, `{"type":"object","properties":{}}`, ""},
	{"nothing", ``, `{"type":"object","properties":{}}`, ""},
}

// Each provider gets a schema that it accepts, in the place where its protocol has it.
func TestProjectedSchemas(t *testing.T) {
	for _, c := range projectedCases {
		t.Run(c.name, func(t *testing.T) {
			for provider, want := range map[string]string{"openai": c.want, "anthropic": c.want, "google": c.google} {
				if want == "" {
					want = c.want
				}
				row, _ := Builtin(provider)
				if got := string(row.parameters(tool.Spec{Input: json.RawMessage(c.in)})); got != want {
					t.Errorf("%s gets\n%s\nwant\n%s", provider, got, want)
				}
			}
			r := request()
			r.Tools = []tool.Spec{{Name: "t", Input: json.RawMessage(c.in)}}
			want := strings.TrimSpace(c.want)
			same(t, asks(t, "openai:gpt-test", Chat, r)["tools"], `[{"type":"function","function":{"name":"t","parameters":`+want+`}}]`)
			same(t, asks(t, "openai:gpt-test", Responses, r)["tools"], `[{"type":"function","name":"t","description":"","parameters":`+want+`,"strict":false}]`)
			same(t, asks(t, "anthropic:claude-opus-5", "", r)["tools"].([]any)[0].(map[string]any)["input_schema"], want)
		})
	}
}

// A schema that allows no object cannot be projected, and is no endless work.
func TestUnfitSchemas(t *testing.T) {
	for _, in := range []string{`false`, `{"type":"array"}`, `{"$ref":"#"}`, `{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/A"}}}`,
		`{"anyOf":[{"type":"string"}]}`, `{"allOf":[{"type":"string"}]}`, `{"a":`} {
		if err := Unfit(tool.Spec{Input: json.RawMessage(in)}); !errors.Is(err, fault.Schema) {
			t.Errorf("%s: %v", in, err)
		}
	}
	if !Simplified(json.RawMessage(`{"anyOf":[{"properties":{"a":{}}}]}`)) || Simplified(json.RawMessage(`{"$schema":"x","properties":{"a":{}}}`)) {
		t.Error("it is not said rightly which schemas are simplified")
	}
}

// What a projection allows contains what the whole schema allows: no argument that the
// server takes is kept from it, whatever the branches say of a property.
func TestProjectionAllowsWhatTheSchemaAllows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]string{`{"properties":{"a":{"type":"string"}},"required":["a"]}`, `{"properties":{"a":{"type":"integer"},"b":{}},"required":["a","b"]}`,
			`{"properties":{"a":{"type":"array","items":[{"type":"string"},{"type":"integer"}]}}}`, `{"properties":{"a":{"const":"x"}},"required":["b"]}`, `{"properties":{"a":true}}`})
		list := func(key string) string {
			return `"` + key + `":[` + part.Draw(t, key) + "," + part.Draw(t, key) + "]"
		}
		schema := `{"$schema":"http://json-schema.org/draft-07/schema#",` + list(rapid.SampledFrom([]string{"anyOf", "oneOf", "allOf"}).Draw(t, "which")) + `}`
		value := rapid.SampledFrom([]string{`{}`, `{"a":"x"}`, `{"a":1,"b":2}`, `{"b":2}`, `{"a":["x",1]}`, `{"a":"x","b":1,"c":[]}`}).Draw(t, "value")
		whole, err := tool.Compile(json.RawMessage(schema))
		if err != nil {
			t.Fatal(err)
		}
		out, err := projected(json.RawMessage(schema), rapid.Bool().Draw(t, "plain"))
		if err != nil {
			t.Fatal(err)
		}
		simple, err := tool.Compile(out)
		if err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		if len(whole.Validate(json.RawMessage(value))) == 0 && len(simple.Validate(json.RawMessage(value))) > 0 {
			t.Errorf("%s fits %s, and not %s", value, schema, out)
		}
	})
}

// A refusal that names a tool by its position is shown with the tool's name.
func TestRefusalNamesTheTool(t *testing.T) {
	r := request()
	r.Tools = []tool.Spec{{Name: "first"}, {Name: "files__read"}}
	for _, says := range []string{"tools.1.custom.input_schema: oneOf is not supported", "Invalid schema: tools[1].function", "tools/1: wrong", "tools.7: other"} {
		body, err := json.Marshal(map[string]any{"error": map[string]string{"message": says}})
		if err != nil {
			t.Fatal(err)
		}
		p := &player{behaviour: behaviour{status: 400, header: map[string]string{"Content-Type": "application/json"}, body: []string{string(bytes.TrimSpace(body))}}}
		_, err = open(t, "openai:gpt-test", Config{HTTP: p, Env: env(key)}).Generate(context.Background(), r, nil)
		if err == nil || strings.Contains(err.Error(), "(the tool files__read)") == strings.Contains(says, "7") {
			t.Errorf("%s: %v", says, err)
		}
	}
}
