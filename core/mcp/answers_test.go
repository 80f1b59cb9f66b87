package mcp_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"golem/core/mcp/mcptest"
)

// Tools that cannot be used do not take the place of those that can.
func TestUsableToolsBehindOthers(t *testing.T) {
	s := &mcptest.Server{}
	for i := range 25 {
		pattern := "^x"
		if i < 20 {
			pattern = "^(?!x)"
		}
		s.Tools = append(s.Tools, mcptest.Tool{Name: fmt.Sprint("t", i), Input: json.RawMessage(`{"type":"object","properties":{"a":{"pattern":"` + pattern + `"}}}`)})
	}
	c := overMemory(t, s)
	defer c.Close()
	if err := c.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	tools, warnings, err := c.Client().Tools(t.Context(), func(string) bool { return true })
	if len(tools) != 5 || len(warnings) != 20 || err != nil {
		t.Errorf("%d tools, %d warnings, %v", len(tools), len(warnings), err)
	}
}
