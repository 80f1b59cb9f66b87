package ui

import (
	"reflect"
	"testing"
)

// A row stays on one line of the terminal if possible: the spare columns are removed first,
// then the last column is cut.
func TestNarrowTable(t *testing.T) {
	rows := [][]string{{"RUN", "TIME", "COST", "INPUT"}, {"20261122-190650-b628c4", "2026-11-22T19:06:50Z", "", "was ist das für ein Text?"}}
	for width, want := range map[int][][]string{
		0:   rows,
		100: rows,
		70:  {{"RUN", "TIME", "COST", "INPUT"}, {"20261122-190650-b628c4", "2026-11-22T19:06:50Z", "", "was ist das für e…"}},
		60:  {{"RUN", "COST", "INPUT"}, {"20261122-190650-b628c4", "", "was ist das für ein Text?"}},
		37:  {{"RUN", "INPUT"}, {"20261122-190650-b628c4", "was ist das …"}},
		30:  {{"RUN", "INPUT"}, {"20261122-190650-b628c4", "was ist das für ein Text?"}},
	} {
		if got := NarrowTable(rows, width, "TIME", "COST"); !reflect.DeepEqual(got, want) {
			t.Errorf("%d: %q", width, got)
		}
	}
}
