package tool

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What can only mean one thing is coerced and noted; everything else stays as it is.
func TestCoerce(t *testing.T) {
	const schema = `{"type":"object","required":["path"],"properties":{
		"path":{"type":"string"},"limit":{"type":"integer"},"ratio":{"type":["number","null"]},"all":{"type":"boolean"},"any":{},"either":{"anyOf":[{"type":"integer"},{"type":"string"}]},
		"both":{"type":["string","integer"]},"kind":{"enum":["a",null]},"level":{"enum":["1","2"]},"list":{"type":"array","items":{"type":"integer"}},"deep":{"type":"object","properties":{"n":{"type":"number"},"s":{"type":"string"}}}}}`
	for _, c := range []struct{ args, want, notes string }{
		{`{"path":"/a","limit":null}`, `{"path":"/a"}`, "/limit: null counts as absent"},
		{`{"path":"/a","limit":"3","all":"true"}`, `{"path":"/a","limit":3,"all":true}`, `/limit: the string "3" counts as 3; /all: the string "true" counts as true`},
		{`{"path":"/a","ratio":"1.5e3"}`, `{"path":"/a","ratio":1.5e3}`, `/ratio: the string "1.5e3" counts as 1.5e3`},
		{`{"path":"/a","list":["1",2,"-3"]}`, `{"path":"/a","list":[1,2,-3]}`, `/list/0: the string "1" counts as 1; /list/2: the string "-3" counts as -3`},
		{`{"path":"/a","deep":{"n":"0","s":null}}`, `{"path":"/a","deep":{"n":0}}`, `/deep/n: the string "0" counts as 0; /deep/s: null counts as absent`},
		// not: required, null is a value, not clear, no number
		{`{"path":null}`, "", ""}, {`{"path":"/a","ratio":null}`, "", ""}, {`{"path":"/a","any":null}`, "", ""}, {`{"path":"/a","either":"3"}`, "", ""}, {`{"path":"/a","either":null}`, "", ""},
		{`{"path":"/a","both":"3"}`, "", ""}, {`{"path":"/a","kind":null}`, "", ""}, {`{"path":"/a","level":1}`, "", ""}, {`{"path":3}`, "", ""},
		{`{"path":"/a","limit":"1.0"}`, "", ""}, {`{"path":"/a","limit":" 1"}`, "", ""}, {`{"path":"/a","limit":"0x1"}`, "", ""}, {`{"path":"/a","limit":"01"}`, "", ""}, {`{"path":"/a","all":"True"}`, "", ""},
		{`{"path":"/a","all":1}`, "", ""}, {`{"path":"/a","limit":""}`, "", ""}, {`{"path":"/a","limit":"NaN"}`, "", ""}, {`{"path":"/a","list":"[1]"}`, "", ""}, {`{"path":"/a","deep":"{}"}`, "", ""},
	} {
		want := c.want
		if want == "" {
			want = c.args
		}
		out, notes := Coerce(json.RawMessage(schema), json.RawMessage(c.args))
		if string(out) != want || strings.Join(notes, "; ") != c.notes {
			t.Errorf("%s: %s (%q), want %s (%q)", c.args, out, notes, want, c.notes)
		}
	}
}

// Coercion never makes arguments that are no JSON, and changes nothing twice.
func TestCoerceIsStable(t *testing.T) {
	values := rapid.SampledFrom([]string{`null`, `"1"`, `"true"`, `1`, `"x"`, `[]`, `["2"]`, `{}`, `{"a":null,"b":"1"}`, `"1e5"`, `"\u0000"`})
	types := rapid.SampledFrom([]string{`{}`, `{"type":"integer"}`, `{"type":"boolean"}`, `{"type":"string"}`, `{"type":["null","number"]}`, `{"type":"array","items":{"type":"integer"}}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}}}`, `true`, `{"$ref":"#"}`})
	rapid.Check(t, func(t *rapid.T) {
		var args, props []string
		for _, name := range []string{"a", "b", "\\u00e9"} {
			args = append(args, `"`+name+`":`+values.Draw(t, "value"))
			props = append(props, `"`+name+`":`+types.Draw(t, "type"))
		}
		schema := json.RawMessage(`{"type":"object","properties":{` + strings.Join(props, ",") + `}}`)
		given, err := Decode([]byte("{" + strings.Join(args, ",") + "}"))
		if err != nil {
			t.Fatal(err)
		}
		out, _ := Coerce(schema, given)
		if !json.Valid(out) {
			t.Fatalf("%s under %s became %s", given, schema, out)
		}
		if again, notes := Coerce(schema, out); len(notes) > 0 || string(again) != string(out) {
			t.Fatalf("%s was changed again: %s", out, again)
		}
	})
}
