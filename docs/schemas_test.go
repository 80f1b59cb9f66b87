// Package docs_test tests that the documentation agrees with what golem does, for example that
// the schemas for editors have the same keys as the parsers.
package docs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golem/core/fault"
	"golem/core/project"
)

// freeKey is the key in a place for mappings that allow any name: a mount, a toolset, a tool.
const freeKey = "example"

// place is one mapping of a configuration file: the keys that lead to it.
type place []string

// schema is a JSON Schema, with the keywords that these tests use.
type schema struct {
	Description string            `json:"description"`
	Ref         string            `json:"$ref"`
	Defs        map[string]schema `json:"$defs"`
	Properties  map[string]schema `json:"properties"`
	Additional  json.RawMessage   `json:"additionalProperties"`
	Items       *schema           `json:"items"`
	OneOf       []schema          `json:"oneOf"`
}

func readSchemas(t *testing.T) map[string]schema {
	t.Helper()
	out := map[string]schema{}
	for _, name := range []string{"worker.schema.json", "project.schema.json", "lib.schema.json"} {
		data, err := os.ReadFile("schemas/" + name)
		if err != nil {
			t.Fatal(err)
		}
		var s schema
		if err := json.Unmarshal(data, &s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name] = s
	}
	return out
}

// closed calls report for every mapping in a schema that allows only the keys that it names.
func closed(defs map[string]schema, s schema, at place, report func(place, []string)) {
	if _, name, ok := strings.Cut(s.Ref, "#/$defs/"); ok {
		s = defs[name]
	}
	if string(s.Additional) == "false" {
		report(at, slices.Sorted(maps.Keys(s.Properties)))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		closed(defs, s.Properties[name], append(slices.Clone(at), name), report)
	}
	var free schema
	if len(s.Additional) > 0 && json.Unmarshal(s.Additional, &free) == nil {
		closed(defs, free, append(slices.Clone(at), freeKey), report)
	}
	for _, one := range s.OneOf {
		closed(defs, one, at, report)
	}
	if s.Items != nil {
		closed(defs, *s.Items, append(slices.Clone(at), "-"), report)
	}
}

// flow returns YAML with one key at a place: {a: {b: {key: {}}}}. The step "-" is a list.
func flow(at place, key string) string {
	out := fmt.Sprintf("{%s: {}}", key)
	for _, step := range slices.Backward(at) {
		if step == "-" {
			out = "[" + out + "]"
			continue
		}
		out = fmt.Sprintf("{%s: %s}", step, out)
	}
	return out
}

// unknown loads a file with one key at a place. It returns the parser's complaint that the key
// is unknown, "" if it is known, and the keys that the complaint lists.
func unknown(t *testing.T, file string, at place, key string) (complaint string, known []string) {
	t.Helper()
	files := fstest.MapFS{"main.worker": {Data: []byte("---\ndescription: x\n---\nHello\n")}}
	switch file {
	case "project.schema.json":
		files["project.yaml"] = &fstest.MapFile{Data: []byte(flow(at, key) + "\n")}
	case "lib.schema.json":
		files["lib.yaml"] = &fstest.MapFile{Data: []byte(flow(at, key) + "\n")}
	default:
		files["main.worker"] = &fstest.MapFile{Data: []byte("---\n" + flow(at, key) + "\n---\nHello\n")}
	}
	p, err := project.Load(project.Setup{FS: files, Name: "docs"})
	if err == nil {
		_, err = p.Workers.Find("main")
	}
	var list fault.List
	if !errors.As(err, &list) {
		if f := fault.Of(err, fault.Config); f != nil {
			list = fault.List{f}
		}
	}
	for _, f := range list {
		if strings.Contains(f.Message, "unknown key") && strings.Contains(f.Message, `"`+key+`"`) {
			names, _ := strings.CutPrefix(f.Hint, "known: ")
			return f.Error(), strings.Split(names, ", ")
		}
	}
	return "", nil
}

// TestSchemasKnowTheParsersKeys tests that the schemas have the same keys as golem's parsers, in
// every mapping of the files.
func TestSchemasKnowTheParsersKeys(t *testing.T) {
	all := readSchemas(t)
	mappings := 0
	for _, file := range []string{"worker.schema.json", "project.schema.json", "lib.schema.json"} {
		closed(all[file].Defs, all[file], nil, func(at place, keys []string) {
			mappings++
			where := file + ": " + strings.Join(at, ".")
			complaint, known := unknown(t, file, at, "qqqqqqqqqqqqqqqqqqqqqqqq")
			// A toolset's own options are its factory's to know; that of page is in a page.
			factory := len(at) == 2 && at[0] == "toolsets" && slices.Contains([]string{"filesystem", "page", "shell"}, at[1])
			if complaint == "" && !factory {
				t.Errorf("%s: golem takes any key here, the schema does not", where)
			}
			for _, name := range known {
				if !slices.Contains(keys, name) {
					t.Errorf("%s: golem knows %s, the schema does not", where, name)
				}
			}
			for _, name := range keys {
				if complaint, _ := unknown(t, file, at, name); complaint != "" {
					t.Errorf("%s: the schema offers %s, but golem says: %s", where, name, complaint)
				}
			}
		})
	}
	if mappings < 20 {
		t.Errorf("only %d mappings were compared", mappings)
	}
}
