package describe

import (
	"regexp"
	"strings"
	"testing"

	"golem/core/tool"
	"golem/core/ui"
)

// Each kind of line of the tree has its own roles, also where it is broken, and colours
// change nothing else.
func TestTreeHasRoles(t *testing.T) {
	tree := CallTree{Workers: []TreeWorker{
		{ID: "main", Path: "main.worker", Description: " Says\n(something) ", Shadowed: []string{"workers/old.worker"},
			Tools: []TreeTool{{Name: "write_file", Risk: "write", Call: Asks}, {Name: "read_file", Risk: "read", Call: "runs"}, {Name: "shell", Risk: "execute", Call: "refused"}, {Name: "push", Risk: "write", Call: string(tool.ExecManual)}},
			Calls: []WorkerCall{{Worker: "reader", Path: "workers/reader.worker", Call: Asks, Why: "main.worker:3"}, {Worker: everyWorker}, {Worker: "main", Path: "main.worker", Cycle: true}}},
		{ID: "reader", Path: "workers/reader.worker", Tools: []TreeTool{{Name: "x", Risk: "read", Call: "runs"}}},
	}}
	plain := "main (main.worker): Says (something)\n  shadows workers/old.worker\n  asks: write_file (write)\n  runs: read_file (read)\n  refused: shell (execute)\n" +
		"  only a person starts: push (write)\n  → reader (workers/reader.worker), asks: main.worker:3\n      runs: x (read)\n  → * (every other worker of the project)\n  → main (cycle: a run refuses it)\n"
	if got := tree.Text(); got != plain {
		t.Errorf("%s\nwant\n%s", got, plain)
	}
	for _, width := range []int{0, 20, 30} {
		var all []string
		for _, l := range tree.Lines() {
			for _, piece := range l.Fit(width) {
				all = append(all, piece.Paint(true))
			}
		}
		got := strings.Join(all, "\n") + "\n"
		if bare := regexp.MustCompile("\x1b\\[[0-9]*m").ReplaceAllString(got, ""); bare != ui.Fit(plain, width) {
			t.Errorf("%d columns: %s", width, bare)
		}
		for _, want := range []string{
			"\x1b[1mmain\x1b[0m\x1b[2m (main.worker)\x1b[0m:", "\x1b[33masks:\x1b[0m", "\x1b[32mruns:\x1b[0m read_file", "\x1b[31mrefused:\x1b[0m",
			"→ \x1b[1mreader\x1b[0m", "\n  shadows", "→ \x1b[1mmain\x1b[0m\x1b[2m (cycle:",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%d columns: %q is not in\n%q", width, want, got)
			}
		}
	}
}
