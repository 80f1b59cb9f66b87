package core_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"golem/core"
)

// golem trace show without a name takes the newest trace by its name, so that names must
// sort by time also within one second.
func TestRunIDsSortByTime(t *testing.T) {
	begin := time.Date(2026, 3, 14, 9, 15, 0, 0, time.UTC)
	var ids []string
	for _, passed := range []time.Duration{0, time.Millisecond, 2 * time.Millisecond, 500 * time.Millisecond, time.Second - time.Nanosecond, time.Second} {
		ids = append(ids, core.NewRunID(begin.Add(passed)))
	}
	if !slices.IsSorted(ids) {
		t.Errorf("names of runs that began one after the other do not sort: %q", ids)
	}
	if again := core.NewRunID(begin); again == ids[0] {
		t.Errorf("two runs that began at the same time have the name %s", again)
	}
	var year, clock, rest int
	if n, err := fmt.Sscanf(ids[4], "%8d-%6d-%8x", &year, &clock, &rest); n != 3 || err != nil || year != 20260314 || clock != 91500 || rest>>20 != 0xfff {
		t.Errorf("got the name %s: %v", ids[4], err)
	}
}
