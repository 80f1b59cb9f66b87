package columns_test

import (
	"strings"
	"testing"
	"unicode"

	"golem/core/ui"

	"golem/cmd/cli/columns"
)

// Plain lines (core/ui) never count a character as narrower than the terminal draws it, so
// that no line goes past the edge (SECURITY 9).
func TestCoreIsNotNarrower(t *testing.T) {
	for r := rune(' '); r <= unicode.MaxRune; r++ {
		if !unicode.IsPrint(r) || unicode.In(r, unicode.M) {
			continue
		}
		n := columns.Of(string(r))
		if n > 0 && !strings.Contains(ui.Fit("a b"+string(r), 2+n), "\n") {
			t.Errorf("%q (%U) has %d columns, and core/ui counts fewer", r, r, n)
		}
	}
}

func TestColumns(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc": 3, "äö": 2, "日本": 4, "\x1b[1mab\x1b[0m": 2, "👨‍👩‍👧": 2, "e\u0301x": 2} {
		if n := columns.Of(s); n != want {
			t.Errorf("%q has %d columns, not %d", s, n, want)
		}
	}
	if got := columns.Cut("日本語", 5); got != "日本…" {
		t.Error(got)
	}
	for s, want := range map[string][2]int{"": {0, 0}, "ab": {1, 1}, "e\u0301x": {3, 1}, "日本": {3, 2}, "\xff": {1, 1}} {
		if n, w := columns.First(s); n != want[0] || n > 0 && s != "\xff" && w != want[1] {
			t.Errorf("%q: %d bytes, %d columns", s, n, w)
		}
	}
}
