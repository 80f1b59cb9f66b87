//go:build clang

package docs_test

import "testing"

// TestToolsGuideInC tests that the guide to a tool in C works as written. It needs clang and
// wasm-ld, which golem's own set-up does not install, so it has a build tag:
// go test -tags clang ./docs -run ToolsGuide
func TestToolsGuideInC(t *testing.T) {
	blocks := guide(t, "tools/go.md", "In C")
	if len(blocks) != 1 {
		t.Fatalf("%d blocks of commands", len(blocks))
	}
	runGuide(t, "tools/go.md", checkout(t), append([]guideBlock{{commands: "mkdir notes && cd notes\n"}}, blocks...))
}
