package prompt_test

import (
	"encoding/json"
	"testing"

	"golem/core/prompt"
)

// Scenario 28: the system prompt is the body and what the caller adds; the task is one
// message with labelled results.
func TestSystem(t *testing.T) {
	const w = "A\n---\nB\n"
	if got := prompt.System(w, ""); got != "A\n---\nB\n" {
		t.Errorf("instructions are not byte for byte: %q", got)
	}
	if got := prompt.System(w, "Be brief."); got != "A\n---\nB\n\n## Additional instructions\n\nBe brief." {
		t.Errorf("with additions: %q", got)
	}
}

func TestTask(t *testing.T) {
	got := prompt.Task("do it", nil, []prompt.Labelled{{Name: "analyzer", Text: "42"}}, []prompt.File{{Path: "/a.pdf", MIME: "application/pdf", Size: 7}})
	want := "do it\n\n## Result of analyzer\n\n42\n\nAttachments:\n- /a.pdf (application/pdf, 7 bytes)"
	if got != want {
		t.Errorf("task %q\nwant %q", got, want)
	}
	if got := prompt.Task("ignored", json.RawMessage(`{"n":1}`), nil, nil); got != "{\n  \"n\": 1\n}" {
		t.Errorf("an object is shown as %q", got)
	}
}
