package plain

import (
	"strings"
	"testing"
)

// Only the beginning of a long input is shown, and no character is cut.
func TestBeginningOfALongInput(t *testing.T) {
	for text, want := range map[string]string{"abc": "abc", "abcd": "abc", "aäb": "aä", "aaä": "aa", "€": "€", "€€": "€", "": ""} {
		shown, more := beginning(text, 3)
		if shown != want || more != len(text)-len(want) {
			t.Errorf("%q: %q, %d more", text, shown, more)
		}
	}
	if shown, more := beginning(strings.Repeat("x", 10_000_000), maxEcho); len(shown) != maxEcho || more != 10_000_000-maxEcho {
		t.Errorf("%d shown, %d more", len(shown), more)
	}
}
