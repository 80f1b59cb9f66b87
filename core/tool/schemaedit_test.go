package tool_test

import (
	"encoding/json"
	"testing"

	"golem/core/tool"
)

// Only the keyword pattern is a pattern: a property, a default and an enum of that name stay,
// numbers keep their digits, and a schema without such patterns is not written again.
func TestDropPatterns(t *testing.T) {
	for in, want := range map[string]string{
		`{ "pattern" : "^a$" }`: `{ "pattern" : "^a$" }`,
		`{"properties":{"pattern":{"pattern":"(?=a)","default":{"pattern":"(?=b)"},"maximum":9223372036854775807}}}`: `{"properties":{"pattern":{"default":{"pattern":"(?=b)"},"maximum":9223372036854775807}}}`,
		`{"patternProperties":{"(?!x)":{"pattern":"\\p{Script=Greek}"},"^y":{}},"additionalProperties":false}`:       `{"patternProperties":{"^y":{}}}`,
		`{"anyOf":[{"items":[{"pattern":"(?<=a)b"}]},true],"$defs":{"a":{"not":{"pattern":"(a)\\1"}}}}`:              `{"$defs":{"a":{"not":{}}},"anyOf":[{"items":[{}]},true]}`,
	} {
		got, err := tool.EditSchema(json.RawMessage(in), tool.DropPatterns)
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", in, got, err)
		}
	}
	if _, err := tool.EditSchema(json.RawMessage(`{"a":1`), tool.DropPatterns); err == nil {
		t.Error("half a schema was read")
	}
}
