package tool

import (
	"encoding/json"
	"testing"
)

// Defaults fill what an object lacks, also in objects inside it; nothing that is there is
// replaced.
func TestWithDefaults(t *testing.T) {
	const schema = `{"type":"object","properties":{"a":{"default":1},"b":{"type":"string"},"c":{"type":"object","default":{},"properties":{"d":{"default":[2]},"e":{}}},"n":{"default":null}}}`
	for in, want := range map[string]string{
		`{}`: `{"a":1,"c":{"d":[2]},"n":null}`, `{"a":null,"b":"x","c":{"d":0},"n":5}`: `{"a":null,"b":"x","c":{"d":0},"n":5}`,
		`{"c":{"e":1},"z":3}`: `{"a":1,"c":{"d":[2],"e":1},"n":null,"z":3}`, `[]`: `[]`, `"x"`: `"x"`, ``: ``,
	} {
		if got := string(WithDefaults(json.RawMessage(schema), json.RawMessage(in))); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// A required property with a default may be absent; the note says what counts.
func TestRequiredWithADefault(t *testing.T) {
	const schema = `{"type":"object","properties":{"a":{"type":"integer","default":5},"b":{"type":"integer"}},"required":["a","b"]}`
	out, notes := Coerce(json.RawMessage(schema), json.RawMessage(`{"b":"2"}`))
	if string(out) != `{"b":2,"a":5}` || len(notes) != 2 || notes[1] != "/a: it is required and absent, so its default 5 counts" {
		t.Errorf("%s %q", out, notes)
	}
	if out, notes := Coerce(json.RawMessage(schema), json.RawMessage(`{"a":1}`)); string(out) != `{"a":1}` || notes != nil {
		t.Errorf("%s %q", out, notes)
	}
}
