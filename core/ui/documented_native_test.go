//go:build !js

package ui

import (
	"os"
	"strings"
	"testing"
)

// TestDocumentedQuestion tests that the question in docs/workers/approval.md is what golem prints.
func TestDocumentedQuestion(t *testing.T) {
	data, err := os.ReadFile("../../docs/workers/approval.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(data), "```text\n[Approval Required]")
	shown, _, _ := strings.Cut(rest, "\n```")
	if !found {
		t.Fatal("docs/workers/approval.md shows no question")
	}
	at := map[string]any{"path": "/output/report.md", "content": "# Report\n\nAll is well.\n"}
	r := fileRequest("write_file", "--- a/output/report.md\n+++ b/output/report.md\n@@ -1,3 +1,3 @@\n # Report\n \n-All is bad.\n+All is well.\n", at, writing("/output/report.md"))
	if got, want := strings.TrimSpace(asked(r)), "[Approval Required]"+shown; got != want {
		t.Errorf("docs/workers/approval.md shows\n%s\ngolem prints\n%s", want, got)
	}
}
