package docs_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"golem/core/config"
)

// TestConfigSchemaKnowsTheParsersKeys tests that the schema of config.yaml has the same keys as
// golem's parser.
func TestConfigSchemaKnowsTheParsersKeys(t *testing.T) {
	data, err := os.ReadFile("schemas/config.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var s schema
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	for where, keys := range map[string][]string{
		"%s":                   slices.Sorted(maps.Keys(s.Properties)),
		"{projects: {/p: %s}}": {"approval", "trust"},
	} {
		_, err := config.ReadPerson("config.yaml", []byte(strings.Replace(where, "%s", "{zzzz: 1}", 1)), "/p", "")
		if err == nil || !strings.Contains(err.Error(), "unknown key") {
			t.Errorf("%s: an unknown key: %v", where, err)
		}
		for _, key := range keys {
			_, err := config.ReadPerson("config.yaml", []byte(strings.Replace(where, "%s", "{"+key+": {zzzz: 1}}", 1)), "/p", "")
			if err != nil && strings.Contains(err.Error(), `unknown key "`+key+`"`) {
				t.Errorf("%s: golem does not know %s: %v", where, key, err)
			}
		}
	}
}
