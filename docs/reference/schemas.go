package reference

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// schemaPage is a page of the keys of a file, which its JSON Schema describes.
type schemaPage struct {
	name, schema string // of the page, and of the schema in docs/schemas
	head         string
}

var schemaPages = []schemaPage{
	{"reference/script.md", "script", "# Keys: script\n\nThe file of a [script model](../workers/script-model.md), which answers in place of a language model.\n"},
	{"reference/tools-yaml.md", "tools", "# Keys: tools.yaml\n\nWhat a module says about its tools: `tools.yaml` for `golem tool pack`, or `NAME.tools.yaml` beside `NAME.wasm` ([more](../tools/description.md)).\n"},
}

// keySchema is the part of a JSON Schema that a page shows.
type keySchema struct {
	Description string
	Properties  json.RawMessage
	Additional  json.RawMessage `json:"additionalProperties"`
	Items       *keySchema
}

// Schemas returns the pages of keys that are made from the JSON Schemas below root.
func Schemas(root string) (map[string]string, error) {
	pages := map[string]string{}
	for _, page := range schemaPages {
		data, err := os.ReadFile(filepath.Join(root, "docs", "schemas", page.schema+".schema.json"))
		if err != nil {
			return nil, err
		}
		var schema keySchema
		if err := json.Unmarshal(data, &schema); err != nil {
			return nil, fmt.Errorf("%s: %w", page.schema, err)
		}
		rows, err := schema.rows("")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", page.schema, err)
		}
		pages[page.name] = page.head + "\n| key | meaning |\n|---|---|\n" + rows
	}
	return pages, nil
}

// rows returns the rows of all keys below a schema, in its order. at is the path of its keys
// with a dot at the end.
func (s *keySchema) rows(at string) (string, error) {
	var b strings.Builder
	if s.Items != nil {
		return s.Items.rows(at)
	}
	if len(s.Additional) > 0 && s.Additional[0] == '{' {
		var each keySchema
		if err := json.Unmarshal(s.Additional, &each); err != nil {
			return "", err
		}
		rows, err := each.row(at + "*")
		b.WriteString(rows)
		if err != nil {
			return "", err
		}
	}
	if len(s.Properties) == 0 {
		return b.String(), nil
	}
	var names object
	if err := json.Unmarshal(s.Properties, &names); err != nil {
		return "", err
	}
	var keys map[string]*keySchema
	if err := json.Unmarshal(s.Properties, &keys); err != nil {
		return "", err
	}
	for _, name := range names {
		rows, err := keys[name].row(at + name)
		b.WriteString(rows)
		if err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// row returns the row of a key and those of the keys below it.
func (s *keySchema) row(at string) (string, error) {
	below, err := s.rows(at + ".")
	return fmt.Sprintf("| `%s` | %s |\n", at, strings.ReplaceAll(s.Description, "|", "\\|")) + below, err
}
