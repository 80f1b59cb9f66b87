package docs_test

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/model"
	"golem/docs/schemas"
)

// TestScriptSchemaKnowsTheParsersKeys tests that the schema of scripts has exactly the keys that
// golem accepts, in every mapping.
func TestScriptSchemaKnowsTheParsersKeys(t *testing.T) {
	data, err := schemas.Read("script")
	if err != nil {
		t.Fatal(err)
	}
	var s schema
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	var rules schema
	if err := json.Unmarshal(s.Properties["workers"].Additional, &rules); err != nil {
		t.Fatal(err)
	}
	rule := rules.Items
	for where, one := range map[string]schema{
		"{%s}": s, "{script: 1, workers: {a: [{%s}]}}": *rule, "{script: 1, workers: {a: [{when: {%s}}]}}": rule.Properties["when"],
		"{script: 1, workers: {a: [{calls: [{%s}]}]}}": *rule.Properties["calls"].Items,
		"{script: 1, workers: {a: [{fail: {%s}}]}}":    rule.Properties["fail"],
		"{script: 1, workers: {a: [{usage: {%s}}]}}":   rule.Properties["usage"],
	} {
		if string(one.Additional) != "false" {
			t.Errorf("%s: the schema takes any key", where)
		}
		keys := slices.Sorted(maps.Keys(one.Properties))
		text := strings.Replace(where, "%s", "qqqqqqqqqqqqqqqq: 1", 1)
		_, err := model.Open("script:s.yaml", model.Config{ReadFile: func(string) ([]byte, error) { return []byte(text), nil }})
		var all fault.List
		if !errors.As(err, &all) {
			all = fault.List{fault.Of(err, fault.Config)}
		}
		i := slices.IndexFunc(all, func(f *fault.Fault) bool { return strings.Contains(f.Message, "unknown key") })
		if i < 0 {
			t.Fatalf("%s: an unknown key is taken: %v", where, err)
		}
		known := strings.Split(strings.TrimPrefix(all[i].Hint, "known: "), ", ")
		slices.Sort(known)
		if !slices.Equal(known, keys) {
			t.Errorf("%s: golem knows %v, the schema %v", where, known, keys)
		}
	}
}

// TestEverySchemaHasAName tests that every schema of docs/schemas has a name in Names, by which
// golem schema prints it.
func TestEverySchemaHasAName(t *testing.T) {
	read := 0
	for _, name := range schemas.Names {
		data, err := schemas.Read(name)
		if err != nil || !json.Valid(data) {
			t.Errorf("%s: %v", name, err)
		}
		read += len(data)
	}
	entries, err := os.ReadDir("schemas")
	if err != nil {
		t.Fatal(err)
	}
	there := 0
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") {
			data, err := os.ReadFile("schemas/" + e.Name())
			if err != nil {
				t.Fatal(err)
			}
			there += len(data)
		}
	}
	if read != there {
		t.Errorf("golem schema prints %d bytes in all, docs/schemas has %d", read, there)
	}
}
