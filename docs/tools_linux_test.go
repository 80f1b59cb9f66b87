package docs_test

import (
	"os/exec"
	"strings"
	"testing"
)

// guideBlock is one block of a guide: commands, and all that the terminal shows after them, or nothing.
type guideBlock struct{ commands, says string }

// guide returns the blocks of one section of a page.
func guide(t *testing.T, name, section string) []guideBlock {
	t.Helper()
	_, after, found := strings.Cut(page(t, name), "# "+section+"\n")
	if !found {
		t.Fatalf("%s has no section %q", name, section)
	}
	if i := strings.Index(after, "\n## "); i >= 0 {
		after = after[:i]
	}
	var out []guideBlock
	for _, b := range block.FindAllStringSubmatch(after, -1) {
		switch {
		case b[1] == "sh":
			out = append(out, guideBlock{commands: b[2]})
		case b[1] == "text" && len(out) > 0:
			out[len(out)-1].says = b[2]
		}
	}
	return out
}

// offline returns commands that let the go command build in a shell without a network, from the
// build cache of this test.
func offline(t *testing.T) string {
	t.Helper()
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return "export GOPROXY=off GOFLAGS= GOTOOLCHAIN=local GOCACHE='" + strings.TrimSpace(string(cache)) + "'\n"
}

// runGuide runs all blocks of a page in one shell on a terminal, without a network, and compares
// what each block shows. It returns all that the terminal showed.
func runGuide(t *testing.T, name, dir string, blocks []guideBlock) string {
	t.Helper()
	const mark = "-- end of block --\n"
	script := offline(t)
	for _, b := range blocks {
		script += b.commands + "echo '" + strings.TrimSpace(mark) + "'\n"
	}
	all := onTerminal(t, dir, script)
	said := strings.Split(all, mark)
	if len(said) != len(blocks)+1 {
		t.Fatalf("%d blocks ended, of %d\n%s", len(said)-1, len(blocks), all)
	}
	for i, b := range blocks {
		if b.says != "" {
			sameScreen(t, name, b.says, said[i])
		}
	}
	return all
}

// TestToolsGuideInJavaScript tests that the guide to a tool in JavaScript works as written, and
// that the page shows the beginning of the source that golem writes.
func TestToolsGuideInJavaScript(t *testing.T) {
	blocks := guide(t, "tools.md", "In JavaScript or TypeScript")
	if len(blocks) != 1 {
		t.Fatalf("%d blocks of commands", len(blocks))
	}
	said := runGuide(t, "tools.md", checkout(t), append(blocks, guideBlock{commands: "cat tools/wordcount.js\n"}))
	_, after, _ := strings.Cut(page(t, "tools.md"), "```js\n")
	source, _, ok := strings.Cut(after, "```")
	if !ok || !strings.Contains(said, source) {
		t.Errorf("tools.md shows\n%s\nand golem wrote\n%s", source, said)
	}
}

// TestToolsGuideInGo tests that the guide to a tool in Go works as written, without a network:
// from nothing to a packed, described, approved and locked tool (SPEC §6).
func TestToolsGuideInGo(t *testing.T) {
	blocks := guide(t, "tools/go.md", "In Go")
	sdk := guide(t, "tools/go.md", "In Go, with package sdk")
	if len(blocks) != 2 || len(sdk) != 1 {
		t.Fatalf("%d blocks of commands, %d with package sdk", len(blocks), len(sdk))
	}
	// What the scaffold's Makefile offers beside.
	try := guideBlock{"make -s -C tools/wordcount try ARGS='{\"text\":\"a b\"}'\n", `{"words":2,"lines":1,"characters":3}` + "\n"}
	runGuide(t, "tools/go.md", checkout(t), append(append(blocks, try), sdk...))
}

// TestToolsGuideToRights tests that a tool without a grant is refused as the page says, and that
// it works with one.
func TestToolsGuideToRights(t *testing.T) {
	blocks := guide(t, "tools/rights.md", "What a tool may do")
	if len(blocks) != 1 {
		t.Fatalf("%d blocks of commands", len(blocks))
	}
	runGuide(t, "tools/rights.md", checkout(t), blocks)
}
