package run

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// The task of a worker with an input schema is still JSON when it is cut, so that a
// question can show its fields.
func TestLongTaskOfASchemaStaysJSON(t *testing.T) {
	for _, raw := range []string{
		`{"topic":"` + strings.Repeat("ü", 700) + `","n":3}`,
		`{"cut":"<b>` + strings.Repeat("ü", 700) + `","whole":"` + strings.Repeat(`\u0041`, 40) + `"}`,
		`{"a":"` + strings.Repeat("x", 400) + `","b":[` + strings.Repeat("1,", 300) + `1],"c":"\u0000` + strings.Repeat(`\n`, 300) + `"}`,
	} {
		got := task{object: json.RawMessage(raw)}.short()
		var back map[string]any
		if err := json.Unmarshal([]byte(got), &back); err != nil || len(got) > maxTask || !strings.Contains(got, "…") {
			t.Errorf("%d bytes, %v: %s", len(got), err, got)
		}
		if strings.Contains(got, `\u003c`) {
			t.Errorf("escaped as HTML: %s", got)
		}
		if whole, ok := back["whole"]; ok && whole != strings.Repeat("A", 40) {
			t.Error(got)
		}
		if n, ok := back["n"]; ok && n != 3.0 {
			t.Error(got)
		}
	}
	many := map[string]int{}
	for i := range 300 {
		many[strings.Repeat("k", i+1)] = i
	}
	raw, _ := json.Marshal(many)
	if got := (task{object: raw}).short(); len(got) > maxTask || !utf8.ValidString(got) {
		t.Error(len(got))
	}
}
