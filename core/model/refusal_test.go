package model

import (
	"strings"
	"testing"
)

// A short key is hidden where it is a word of its own, not where it is a part of a
// word; a long key is hidden everywhere.
func TestKeysAreHiddenAndWordsAreNot(t *testing.T) {
	long := strings.Repeat("k3", 10)
	for _, c := range [][3]string{
		{"test", "the latest tests of test.", "the latest tests of [redacted]."},
		{"test", "key=test,test test", "key=[redacted],[redacted] [redacted]"},
		{"abc", "abcabc abc\u00fc \u00fcabc abc", "abcabc abc\u00fc \u00fcabc [redacted]"},
		{"", "nothing to hide", "nothing to hide"},
		{long, "x" + long + "y", "x[redacted]y"},
	} {
		if got := hide(c[1], c[0]); got != c[2] {
			t.Errorf("%q in %q: %q, want %q", c[0], c[1], got, c[2])
		}
	}
}
