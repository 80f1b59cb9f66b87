package personcmd

import (
	"testing"

	"golem/core/approval"
)

// A kept rule is shown with all spaces of its patterns.
func TestRuleTextKeepsSpaces(t *testing.T) {
	rule := approval.Rule{Tool: "run_command", When: map[string]string{"command": "echo a  b"}, Decide: approval.PreApproved}
	if got, want := RulesText([]approval.Rule{rule}), "1  {tool: run_command, when: {command: \"echo a  b\"}, decide: preApproved}\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
