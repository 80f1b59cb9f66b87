package model

import (
	"strings"
	"testing"
)

// Words that merely contain a short key stay whole; a key that stands by
// itself, and a long one anywhere, does not.
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
