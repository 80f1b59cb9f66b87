package gitrepo

import (
	"maps"
	"testing"
)

// A changed first line that begins with -- or ++ is not treated as the header of a diff.
func TestKept(t *testing.T) {
	for _, c := range []struct {
		older, text string
		want        map[int]int
	}{
		{"-- old\nb\nc\n", "-- new\nb\nc\n", map[int]int{1: 1, 2: 2}},
		{"-- old\nb\n", "b\n", map[int]int{0: 1}},
		{"b\n", "++ new\nb\n", map[int]int{1: 0}},
		{"a\nb\n", "a\nb\n", map[int]int{0: 0, 1: 1}},
	} {
		if got := keptLines(c.older, c.text); !maps.Equal(got, c.want) {
			t.Errorf("%q to %q: %v, want %v", c.older, c.text, got, c.want)
		}
	}
}
