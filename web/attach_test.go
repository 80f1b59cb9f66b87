//go:build !js

package web_test

import (
	"strings"
	"testing"

	"golem/core/mcp/mcptest"
)

// TestAttachedResource attaches a resource of an MCP server with /attach, as on the command
// line, before the message. It can be removed again, and is read when the message is sent.
func TestAttachedResource(t *testing.T) {
	t.Parallel()
	server := &mcptest.Server{Resources: []map[string]any{{"uri": "file:///plan.md", "text": "# The plan"}}}
	at := listen(t, server.ServeHTTP)
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "wiki", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\nsandbox: {network_enabled: true}\ntoolsets: {mcp: {wiki: {url: '" + at + "'}}, filesystem: {}}\n---\nRead.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - calls: [{tool: read_file, args: {path: /attachments/plan.md}}]\n    - when: {match: \"(# The plan)\"}\n      say: read $1\n",
	})
	do(p, `await say("/attach mcp:wiki:file:///other.md"); await click("remove mcp:wiki:file:///other.md");
		await say("/attach mcp:wiki:file:///plan.md"); await until("the attachment", () => document.querySelector('[aria-label=Attachments]')?.innerText.includes('mcp:wiki:file:///plan.md')); await say("Read it.");
		await text("more than its sandbox")`)
	if log := server.Log(); log != "" {
		t.Errorf("before the yes the server was asked: %s", log)
	}
	yes(p)
	do(p, `await text("read # The plan")`)
	if log := server.Log(); strings.Count(log, "resources/read") != 1 || strings.Contains(log, "other.md") {
		t.Errorf("the server was asked: %s", log)
	}
}
