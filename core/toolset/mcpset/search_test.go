package mcpset

import (
	"encoding/json"
	"testing"

	"golem/core/tool"
)

// A resumed run does not repeat a search whose result was kept. The tools that it found are
// offered all the same.
func TestRecallOfASearch(t *testing.T) {
	s := &set{}
	s.found.many = true
	s.Recall("read_file", tool.Output{Data: json.RawMessage(`{"tools":[{"name":"a"}]}`)})
	s.Recall(searchName, tool.Output{Text: "not JSON"})
	s.Recall(searchName, tool.Output{Data: json.RawMessage(`{"tools":[{"name":"b","description":"B"}],"more":0}`)})
	if !s.found.hidden("a") || s.found.hidden("b") {
		t.Errorf("a is hidden: %v, b: %v", s.found.hidden("a"), s.found.hidden("b"))
	}
}
