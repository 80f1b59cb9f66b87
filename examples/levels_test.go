//go:build !js

package examples_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golem/core/run"
)

var (
	mermaidNode = regexp.MustCompile(`^  (w\d+|every)\["((?:[^"#;\[\]{}|<>]|#\d+;|<br/>)*)"\]$`)
	mermaidEdge = regexp.MustCompile(`^  (w\d+) (?:-->|-\.->)(?:\|"(?:[^"#;\[\]{}|<>]|#\d+;)*"\|)? (w\d+|every)$`)
)

// TestLevelsAreDescribed tests that golem describe and golem workers --tree show for
// every level who calls whom, without a model (scenario 55). The Mermaid text must be a
// flowchart that defines its nodes first, in quotes, and then the edges between them.
func TestLevelsAreDescribed(t *testing.T) {
	for level, want := range map[string]struct {
		entry, describes []string
		calls            int
	}{
		"0-file":      {[]string{"./task.worker"}, []string{"task (task.worker, project)", "You help at a repair café."}, 0},
		"1-project":   {nil, []string{"main (main.worker, project)", "mode: chat (main.worker:3)"}, 0},
		"2-tools":     {nil, []string{"multiply", "runs", "tools.js"}, 0},
		"3-workers":   {nil, []string{"diagnosis", "toolset workers", "delegation to an allowed worker"}, 2},
		"4-templates": {nil, []string{"a template, rendered at each call", "{% include 'house_rules.jinja' %}", "- Tuesday is the evening"}, 2},
		"5-own-tools": {nil, []string{"multiply", "tools/calculator.wasm", "tagger"}, 1},
		"6-libraries": {nil, []string{"trade-words__parts", "toolset workers", "- Nothing is repaired while it is plugged in."}, 2},
	} {
		t.Run(level, func(t *testing.T) {
			p := play{dir: filepath.Join("levels", level)}
			if len(want.entry) > 0 {
				p.entry = want.entry[0]
			}
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(p.dir)); err != nil {
				t.Fatal(err)
			}
			inst := openExample(t, dir, p)
			w, err := inst.Entry()
			if err != nil {
				t.Fatal(err)
			}
			d, err := inst.Describe(context.Background(), w, &run.Input{Text: "a lamp"})
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range want.describes {
				if !strings.Contains(d.Text(), text) {
					t.Errorf("describe lacks %q:\n%s", text, d.Text())
				}
			}
			tree := inst.CallTree(context.Background())
			if !strings.HasPrefix(tree.Text(), w.ID+" ("+w.File+"): ") {
				t.Errorf("the tree begins otherwise:\n%s", tree.Text())
			}
			if n := isMermaid(t, tree.Mermaid()); n != want.calls {
				t.Errorf("%d calls, want %d:\n%s", n, want.calls, tree.Mermaid())
			}
			if _, err := os.Stat(filepath.Join(dir, ".golem")); err == nil {
				t.Error("something was written")
			}
		})
	}
}

// isMermaid checks a Mermaid flowchart and returns how many edges it has.
func isMermaid(t *testing.T, text string) (edges int) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if lines[0] != "flowchart TD" || len(lines) < 2 {
		t.Errorf("no flowchart:\n%s", text)
	}
	nodes := map[string]bool{}
	for _, line := range lines[1:] {
		if m := mermaidNode.FindStringSubmatch(line); m != nil && !nodes[m[1]] && edges == 0 {
			nodes[m[1]] = true
		} else if m := mermaidEdge.FindStringSubmatch(line); m != nil && nodes[m[1]] && nodes[m[2]] {
			edges++
		} else {
			t.Errorf("not Mermaid: %s", line)
		}
	}
	return edges
}
