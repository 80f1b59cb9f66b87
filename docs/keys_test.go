package docs_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"golem/core/config"
	"golem/core/yamltree"
	"golem/docs/schemas"
)

// TestKeysAreWritten tests that the JSON Schemas and the pages of keys are what the tables of keys say.
func TestKeysAreWritten(t *testing.T) {
	for _, f := range config.Files {
		want, err := f.JSONSchema()
		if err != nil {
			t.Fatal(err)
		}
		if page(t, "schemas/"+f.Schema+".schema.json") != string(want) {
			t.Errorf("docs/schemas/%s.schema.json is out of date: go run ./docs/keys writes it", f.Schema)
		}
	}
	fresh(t, "keys", config.KeyPages(config.Files), "go run ./docs/keys")
}

// TestKeysAreExplained tests that every key has a description.
func TestKeysAreExplained(t *testing.T) {
	keys := 0
	for _, f := range config.Files {
		f.Shape.EachKey("", func(path string, key *yamltree.Shape) {
			keys++
			if !strings.HasSuffix(key.Doc, ".") {
				t.Errorf("%s: the description of %s in core/config must be a sentence that ends with a full stop: %q", f.Schema, path, key.Doc)
			}
		})
	}
	if keys < 300 {
		t.Errorf("only %d keys", keys)
	}
}

// TestAKeyIsAddedInOnePlace adds a key to a copy of the table of worker files, and looks for
// it in the reader, the JSON Schema and the list of keys.
func TestAKeyIsAddedInOnePlace(t *testing.T) {
	limits := *config.WorkerShape.Keys["limits"]
	limits.Keys = map[string]*yamltree.Shape{"patience": {Doc: "How long golem is patient.", Kind: yamltree.Scalar, Want: "one of much, little", JSON: `{"enum": ["much", "little"]}`, Check: func(n *yamltree.Node) (string, string) {
		if n.Text != "much" {
			return "is not much", ""
		}
		return "", ""
	}}}
	shape := *config.WorkerShape
	shape.Keys = map[string]*yamltree.Shape{"limits": &limits}
	f := config.File{Schema: "worker", Title: "t", Doc: "d", Shape: &shape}
	for text, fault := range map[string]string{"limits: {patience: much}": "", "limits: {patience: little}": "limits.patience: is not much", "limits: {patienc: much}": `unknown key "patienc" in limits`} {
		tree, _ := yamltree.Parse("w", []byte(text))
		c := &yamltree.Conformer{}
		c.Conform(tree, f.Shape, "")
		if err := c.Faults.Err(); (err == nil) != (fault == "") || err != nil && !strings.Contains(err.Error(), fault) {
			t.Errorf("%s: %v, want %q", text, err, fault)
		}
	}
	schema, err := f.JSONSchema()
	if err != nil || !strings.Contains(string(schema), `"patience": {`) || !strings.Contains(string(schema), `"description": "How long golem is patient."`) || !strings.Contains(string(schema), `"little"`) {
		t.Errorf("%v, the schema is %s", err, schema)
	}
	if row := "| `limits.patience` | one of much, little | How long golem is patient. |"; !strings.Contains(config.KeyPages([]config.File{f})["keys/worker.md"], row) {
		t.Errorf("the page does not have %s", row)
	}
	if _, err := os.Stat("keys/main.go"); err != nil {
		t.Error(err)
	}
}

// TestEveryPropertyIsDescribed tests that every property of every schema has a description.
func TestEveryPropertyIsDescribed(t *testing.T) {
	for _, name := range schemas.Names {
		data, err := schemas.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		var all any
		if err := json.Unmarshal(data, &all); err != nil {
			t.Fatal(err)
		}
		undescribed(all, name, func(path string) { t.Errorf("%s has no description", path) })
	}
}

func undescribed(v any, path string, report func(path string)) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			undescribed(one, path, report)
		}
	case map[string]any:
		properties, _ := v["properties"].(map[string]any)
		for name, p := range properties {
			if text, _ := p.(map[string]any)["description"].(string); text == "" {
				report(path + "." + name)
			}
		}
		for name, one := range v {
			undescribed(one, path+"."+name, report)
		}
	}
}
