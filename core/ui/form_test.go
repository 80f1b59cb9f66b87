package ui_test

import (
	"encoding/json"
	"testing"

	"golem/core/ui"
)

// A form asks for required fields first, takes strings unchanged and everything else as
// JSON, and accepts no answer for a field that is not required.
func TestForm(t *testing.T) {
	fields := ui.Fields(json.RawMessage(`{"type":"object","properties":{
		"a":{"type":"string"},"paths":{"type":"array","description":"files\nto take"},"b":{"type":"string"}},"required":["paths","b"]}`))
	var asked []string
	for _, f := range fields {
		asked = append(asked, f.Question())
	}
	if want := []string{"b:", "paths (files to take), as JSON:", "a, or - for none:"}; len(asked) != 3 || asked[0] != want[0] || asked[2] != want[2] {
		t.Errorf("%q, want %q", asked, want)
	}
	for answer, want := range map[string]string{" x ": `"x"`, "-": `"-"`} {
		if v, err := fields[0].Value(answer); err != nil || string(must(t, v)) != want {
			t.Errorf("%q: %v, %v", answer, v, err)
		}
	}
	if v, err := fields[1].Value(`["/a"]`); err != nil || string(must(t, v)) != `["/a"]` {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := fields[1].Value("/a"); err == nil {
		t.Error("what is not JSON was taken")
	}
	if v, err := fields[2].Value("-"); v != nil || err != nil {
		t.Errorf("%v, %v", v, err)
	}
	typed := ui.Fields(json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"number"},"c":{"type":"string","enum":["x","y"]}},"required":["a","b","c"]}`))
	for i, answers := range [][2]string{{"3", "3.5"}, {"3", `"3"`}, {"x", "z"}} {
		if _, err := typed[i].Value(answers[0]); err != nil {
			t.Error(err)
		}
		if _, err := typed[i].Value(answers[1]); err == nil {
			t.Errorf("%s took %s", typed[i].Name, answers[1])
		}
	}
	if ui.Fields(json.RawMessage(`true`)) != nil {
		t.Error("fields of a schema that is no object")
	}
}

func must(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
