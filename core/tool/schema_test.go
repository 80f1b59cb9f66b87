package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"golem/core/fault"
	"golem/core/tool"
)

// Scenario 14: a violation names the path in the value, in words a model can act upon.
func TestValidatePaths(t *testing.T) {
	schema := `{"type":"object","required":["n"],"additionalProperties":false,"properties":{
		"n":{"type":"integer","minimum":0},"tags":{"type":"array","items":{"enum":["a","b"]},"maxItems":2},
		"who":{"$ref":"#/$defs/who"},"id":{"type":"string","pattern":"^x","minLength":2}},
		"$defs":{"who":{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}}}`
	for value, want := range map[string]string{
		`{"n":1,"tags":["a"],"who":{"name":"z"},"id":"xy"}`: "",
		`{"n":-1}`:                     "/n: must be ≥ 0, got -1",
		`{"n":1.5}`:                    "/n: must be integer, got number",
		`{}`:                           "/n: is required",
		`{"n":1,"m":2}`:                "/m: is not a known field; known: id, n, tags, who",
		`{"n":1,"tags":["a","c"]}`:     `/tags/1: must be one of ["a","b"], got "c"`,
		`{"n":1,"tags":["a","b","a"]}`: "/tags: must have at most 2 items, got 3",
		`{"n":1,"who":{}}`:             "/who/name: is required",
		`{"n":1,"id":"y"}`:             `/id: must have at least 2 characters, got 1; /id: must match ^x, got "y"`,
		`[]`:                           "must be object, got array",
		`{"n":"1","who":{"name":[]}}`:  "/n: must be integer, got string; /who/name: must be string, got array",
	} {
		s, err := tool.Compile(json.RawMessage(schema))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, v := range s.Validate(json.RawMessage(value)) {
			got = append(got, v.String())
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: %q, want %q", value, strings.Join(got, "; "), want)
		}
	}
}

// Schemas whose validation would never end, or would take too long, are refused before
// they are used.
func TestHostileSchemas(t *testing.T) {
	bomb := `{"$defs":{"d0":{"type":"string"}`
	for i := 1; i < 30; i++ {
		ref := `{"$ref":"#/$defs/d` + string(rune('0'+(i-1)/10)) + string(rune('0'+(i-1)%10)) + `"}`
		bomb += `,"d` + string(rune('0'+i/10)) + string(rune('0'+i%10)) + `":{"anyOf":[` + ref + `,` + ref + `]}`
	}
	bomb = strings.Replace(bomb, `"d0"`, `"d00"`, 1) + `},"$ref":"#/$defs/d29"}`
	for name, schema := range map[string]string{
		"self": `{"$ref":"#"}`, "loop": `{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"allOf":[{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"}`,
		"not": `{"not":{"$ref":"#"}}`, "bomb": bomb, "outside": `{"$ref":"http://x/y"}`, "nowhere": `{"$ref":"#/$defs/x"}`,
		"dynamic": `{"$dynamicRef":"#x"}`, "text": `"string"`, "broken": `{`, "type": `{"type":"strin"}`, "pattern": `{"pattern":"("}`,
		"deep": strings.Repeat(`{"items":`, 100) + `{}` + strings.Repeat(`}`, 100), "twice": `{"type":"string","type":"number"}`,
		"counts": `{"pattern":"(?:` + strings.Repeat("a", 4000) + `){1000}"}`, "names": `{"patternProperties":{"((a{100}){100}){10}":{}}}`,
	} {
		s, err := tool.Compile(json.RawMessage(schema))
		if err == nil && name == "type" {
			if len(s.Validate(json.RawMessage(`1`))) == 0 {
				t.Error("an unknown type let a value pass")
			}
			continue
		}
		if !errors.Is(err, fault.Schema) {
			t.Errorf("%s: %v, want E_SCHEMA", name, err)
		}
	}
	if _, err := tool.Compile(json.RawMessage(`{"properties":5}`)); err == nil || !strings.Contains(err.Error(), "the value of properties cannot be a number") {
		t.Errorf("a value of the wrong type: %v", err)
	}
	if _, err := tool.Compile(json.RawMessage(`{"type":"object","properties":{"child":{"$ref":"#"}}}`)); err != nil {
		t.Errorf("a recursive type is refused: %v", err)
	}
}

// Each of the first schemas once ended the whole process in a stack overflow, which
// cannot be recovered: the library reads them differently from what they seem to say.
func TestSchemasReadOtherwise(t *testing.T) {
	for name, schema := range map[string]string{
		"escaped reference": `{"$defs":{"%61":{},"a":{"$ref":"#/$defs/%61"}},"$ref":"#/$defs/a"}`,
		"base below":        `{"$defs":{"a":{}},"properties":{"p":{"$id":"http://x/y","$defs":{"a":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}}}`,
		"draft 7":           `{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":{"$ref":"#"}}}`,
		"case of $ref":      `{"$Ref":"#"}`,
		"case of allOf":     `{"allof":[{"$ref":"#"}]}`,
		"old draft":         `{"$schema":"http://json-schema.org/draft-04/schema#","type":"object"}`,
	} {
		if _, err := tool.Compile(json.RawMessage(schema)); !errors.Is(err, fault.Schema) {
			t.Errorf("%s: %v, want E_SCHEMA", name, err)
		}
	}
	for name, schema := range map[string]string{
		"properties like keywords": `{"type":"object","properties":{"Items":{"type":"string"},"$Ref":{},"$id":{}},"additionalProperties":false}`,
		"names in two cases":       `{"$defs":{"Node":{},"node":{}},"properties":{"Items":{"$ref":"#/$defs/node"}}}`,
		"draft 7 without #":        `{"$schema":"http://json-schema.org/draft-07/schema","type":"object"}`,
		"escaped name":             `{"$defs":{"a b/c":{"type":"string"}},"properties":{"Items":{"$ref":"#/$defs/a%20b~1c"}}}`,
	} {
		s, err := tool.Compile(json.RawMessage(schema))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if vs := s.Validate(json.RawMessage(`{"Items":"x"}`)); len(vs) > 0 {
			t.Errorf("%s: %v", name, vs)
		}
	}
}

// A validation that would take minutes is refused in about a second.
func TestValidationIsBounded(t *testing.T) {
	forms := strings.Repeat(`{"type":"string"},`, 900)
	for name, c := range map[string]struct{ schema, value string }{
		"doubling at each level": {
			`{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"items":{"$ref":"#/$defs/a"}},{"items":{"$ref":"#/$defs/a"}}]}}}`,
			strings.Repeat("[", 60) + strings.Repeat("]", 60),
		},
		"millions of values":          {`{"type":"array"}`, "[" + strings.Repeat("0,", 1_000_000) + "0]"},
		"errors that print the value": {`{"anyOf":[` + forms + `{"type":"string"}]}`, `["` + strings.Repeat("x", 1_000_000) + `"]`},
	} {
		s, err := tool.Compile(json.RawMessage(c.schema))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if vs := s.Validate(json.RawMessage(c.value)); len(vs) != 1 || !strings.Contains(vs[0].Message, "too large") {
			t.Errorf("%s: %.200v", name, vs)
		}
	}
	s, err := tool.Compile(json.RawMessage(`{"type":"array","items":{"$ref":"#/$defs/n"},"$defs":{"n":{"type":"integer"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	many := json.RawMessage("[" + strings.Repeat("1,", 200_000) + `"x"]`)
	if vs := s.Validate(many); len(vs) != 1 || vs[0].Path != "/200000" {
		t.Errorf("a large value: %.200v", vs)
	}
}

// To find the violations takes no longer than to validate: no expression is compiled
// again for each text, and no message is built that is not reported.
func TestWhatIsWrongIsFoundInTime(t *testing.T) {
	pattern := "^(" + strings.Repeat("[a-m]|[n-z]|", 300) + "[0-9])$"
	names := `{"a":1`
	for i := range 6_000 {
		names += fmt.Sprintf(`,"x%d":1`, i)
	}
	names += "}"
	for name, c := range map[string]struct{ schema, value, path string }{
		"texts":  {`{"items":{"pattern":"` + pattern + `"}}`, "[" + strings.Repeat(`"a",`, 30_000) + `"A"]`, "/30000"},
		"keys":   {`{"patternProperties":{"` + pattern + `":{}},"properties":{"a":{"type":"string"}}}`, names, "/a"},
		"fields": {`{"additionalProperties":false,"properties":` + strings.ReplaceAll(names, "1,", "{},") + `}`, strings.ReplaceAll(names, "x", "y"), "/y0"},
	} {
		s, err := tool.Compile(json.RawMessage(strings.ReplaceAll(c.schema, ":1}", ":{}}")))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		began := time.Now()
		vs := s.Validate(json.RawMessage(c.value))
		if len(vs) == 0 || vs[0].Path != c.path {
			t.Errorf("%s: %.200v", name, vs)
		}
		if took := time.Since(began); took > 5*time.Minute { // a busy machine needs some seconds
			t.Errorf("%s: it took %v", name, took)
		}
	}
}

// No schema made of these pieces may crash or hang, and two validations of the same
// value give the same result.
func FuzzSchema(f *testing.F) {
	pieces := []string{"$ref", "allOf", "anyOf", "not", "if", "items", "properties", "$defs", "dependencies", "dependentSchemas", "$id", "$Ref", "AllOf",
		"prefixItems", "additionalProperties", "patternProperties", "contains", "unevaluatedProperties", "oneOf", "propertyNames"}
	refs := []string{"#", "#/$defs/a", "#/$defs/%61", "#/items", "#/allOf/0", "#/properties/a", "#/%24defs/a", "#/not"}
	f.Add([]byte{0, 1, 2, 3, 4, 5})
	f.Add([]byte{7, 0, 1, 0, 5, 0, 6, 2})
	f.Fuzz(func(t *testing.T, seed []byte) {
		next := func(n int) int {
			if len(seed) == 0 {
				return 0
			}
			b := int(seed[0])
			seed = seed[1:]
			return b % n
		}
		var build func(depth int) any
		build = func(depth int) any {
			m := map[string]any{}
			for range next(4) {
				switch k := pieces[next(len(pieces))]; {
				case k == "$ref" || k == "$Ref":
					m[k] = refs[next(len(refs))]
				case k == "$id":
					m[k] = "http://x/" + refs[next(len(refs))][1:]
				case depth > 4:
				case strings.HasSuffix(k, "Of") || k == "prefixItems":
					m[k] = []any{build(depth + 1), build(depth + 1)}
				case strings.HasPrefix(k, "depend") || strings.HasSuffix(strings.ToLower(k), "properties") && k[0] != 'a' && k[0] != 'u' || k == "$defs":
					m[k] = map[string]any{"a": build(depth + 1), "%61": build(depth + 1)}
				default:
					m[k] = build(depth + 1)
				}
			}
			return m
		}
		raw, err := json.Marshal(build(0))
		if err != nil {
			t.Fatal(err)
		}
		s, err := tool.Compile(raw)
		if err != nil {
			return
		}
		for _, v := range []string{`{"a":{"a":[{"a":1}]},"b":2}`, `[[[["a"]]],{"a":1}]`, `"a"`} {
			first := fmt.Sprint(s.Validate(json.RawMessage(v)))
			if again := fmt.Sprint(s.Validate(json.RawMessage(v))); again != first {
				t.Errorf("%s with %s: %s, then %s", raw, v, first, again)
			}
		}
	})
}

type greet struct {
	Name  string   `json:"name" jsonschema:"who is greeted"`
	Times int      `json:"times,omitempty"`
	Tags  []string `json:"tags,omitempty"`
}

// S0-15..17: a plain function becomes a tool.
func TestFunc(t *testing.T) {
	tl := tool.Func(tool.Spec{Name: "greet", Description: "Greets."}, func(_ context.Context, in greet) (tool.Output, error) {
		if in.Times > 9 {
			panic("too often")
		}
		return tool.Text("hello %s", in.Name), nil
	})
	s, err := tool.Compile(tl.Spec().Input)
	if err != nil {
		t.Fatal(err)
	}
	for value, ok := range map[string]bool{`{"name":"a"}`: true, `{"name":"a","tags":["x"]}`: true, `{}`: false, `{"name":1}`: false, `{"name":"a","tags":null}`: false, `{"name":"a","x":1}`: false} {
		if got := len(s.Validate(json.RawMessage(value))) == 0; got != ok {
			t.Errorf("%s valid = %v, want %v (schema %s)", value, got, ok, tl.Spec().Input)
		}
	}
	out, err := tl.Call(t.Context(), tool.Call{Args: tool.ReadArguments([]byte(`{"name":"Ada"}`))})
	if err != nil || out.String() != "hello Ada" {
		t.Errorf("call = %q, %v", out, err)
	}
	if _, err := tl.Call(t.Context(), tool.Call{Args: tool.ReadArguments([]byte(`{"name":"Ada","times":10}`))}); !errors.Is(err, fault.Tool) {
		t.Errorf("a panic became %v, want E_TOOL", err)
	}
	var set tool.Set
	if err := set.Add(tool.Func(tool.Spec{Name: "bad"}, func(context.Context, string) (tool.Output, error) { return tool.Output{}, nil })); err == nil {
		t.Error("a tool without a struct argument was added")
	}
}

// Validate never panics, and each violation has a message.
func FuzzValidate(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"integer"}}}`, `{"a":1}`)
	f.Add(`{"anyOf":[{"type":"string"},{"minimum":3}]}`, `2`)
	f.Add(`{"$defs":{"x":{"items":{"$ref":"#/$defs/x"}}},"$ref":"#/$defs/x"}`, `[[[]]]`)
	f.Fuzz(func(t *testing.T, schema, value string) {
		s, err := tool.Compile(json.RawMessage(schema))
		if err != nil {
			return
		}
		v, err := tool.Decode([]byte(value))
		if err != nil {
			return
		}
		for _, x := range s.Validate(v) {
			if x.Message == "" {
				t.Error("a violation without a message")
			}
		}
	})
}
