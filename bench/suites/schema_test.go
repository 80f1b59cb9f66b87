package suites_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golem/bench/suites"
	"golem/core/tool"
)

// TestJSONSchema validates the values of JSON-Schema-Test-Suite, each with golem's verdict.
func TestJSONSchema(t *testing.T) {
	root := filepath.Join(suites.Dir(t, "github.com/google/jsonschema-go"), "jsonschema", "testdata")
	for _, version := range []struct{ suite, dir, schema string }{
		{"JSON Schema 2020-12", "draft2020-12", ""},
		{"JSON Schema draft-07", "draft7", "http://json-schema.org/draft-07/schema#"},
	} {
		files, err := filepath.Glob(filepath.Join(root, version.dir, "*.json"))
		if err != nil || len(files) < 30 {
			t.Fatal(len(files), err)
		}
		c := &suites.Tally{Suite: version.suite}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var groups []schemaGroup
			if err := json.Unmarshal(raw, &groups); err != nil {
				t.Fatal(err)
			}
			for _, g := range groups {
				g.judge(t, c, strings.TrimSuffix(filepath.Base(file), ".json"), version.schema)
			}
		}
		c.Compare(t)
	}
}

type schemaGroup struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// judge counts the cases of one schema. version is the $schema that it gets.
func (g schemaGroup) judge(t *testing.T, c *suites.Tally, file, version string) {
	t.Helper()
	var keywords map[string]any
	if version != "" && json.Unmarshal(g.Schema, &keywords) == nil && keywords["$schema"] == nil {
		keywords["$schema"] = version
		g.Schema, _ = json.Marshal(keywords)
	}
	s, err := tool.Compile(g.Schema)
	for _, test := range g.Tests {
		name := file + ", " + g.Description + ", " + test.Description
		switch {
		case err != nil && schemaPolicy(err.Error()) != "":
			c.Differ(schemaPolicy(err.Error()))
		case err != nil:
			t.Errorf("%s: %v", name, err)
		default:
			value, err := tool.Decode(test.Data)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if v := s.Validate(value); (len(v) == 0) != test.Valid {
				t.Errorf("%s: %s: %v, expected %v", name, test.Data, v, test.Valid)
				continue
			}
			c.Agree()
		}
	}
}

// schemaPolicy returns the rule by which golem refuses a schema; "" if the message names none.
func schemaPolicy(message string) string {
	for text, reason := range map[string]string{
		"points outside the schema": "references to other schemas are refused",
		"$anchor is not supported":  "$anchor, $dynamicRef and $dynamicAnchor are refused",
		"$dynamicRef is not":        "$anchor, $dynamicRef and $dynamicAnchor are refused",
		"$dynamicAnchor is not":     "$anchor, $dynamicRef and $dynamicAnchor are refused",
		"$id below the top":         "$id below the top is refused",
	} {
		if strings.Contains(message, text) {
			return reason
		}
	}
	return ""
}
