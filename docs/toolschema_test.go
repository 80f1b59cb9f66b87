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

	"golem/core/fault"
	"golem/core/wasmtool"
)

// descriptionValues has a valid value for each key of a described tool.
var descriptionValues = map[string]string{
	"name": "a", "description": "text", "inputSchema": "{type: object}", "outputSchema": "{type: object}",
	"risk": "network", "exec": "manual", "needs_approval": "true", "stateful": "true", "timeout": "10s",
	"annotations": "{destructiveHint: true}", "command": "[-x]", "stdin": "text",
}

// TestToolsSchemaHasTheParsersKeys tests that the schema of tools.yaml has exactly the keys that
// golem accepts.
func TestToolsSchemaHasTheParsersKeys(t *testing.T) {
	data, err := os.ReadFile("schemas/tools.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var s schema
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	keys := slices.Sorted(maps.Keys(s.Properties["tools"].Items.Properties))
	var all strings.Builder
	for _, k := range keys {
		fmt.Fprintf(&all, "%s: %s, ", k, descriptionValues[k])
	}
	if _, err := wasmtool.ParseSidecar([]byte("tools: [{"+all.String()+"}]"), "tools.yaml"); err != nil {
		t.Errorf("golem does not take %s: %v", all.String(), err)
	}
	_, err = wasmtool.ParseSidecar([]byte("tools: [{name: a, qqqqqqqqqqqqqqqq: 1}]"), "tools.yaml")
	var f *fault.Fault
	if !errors.As(err, &f) {
		t.Fatalf("an unknown key is taken: %v", err)
	}
	if want := "known: " + strings.Join(keys, ", "); f.Hint != want {
		t.Errorf("golem says %q, the schema %q", f.Hint, want)
	}
}
