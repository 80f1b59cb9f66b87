package hardencmd

import (
	"strings"
	"testing"
)

// SECURITY 9: nothing in a source that a model wrote reaches the terminal as control, or hides a
// part of it from the person who decides.
func TestSourceIsReviewedAsItIs(t *testing.T) {
	got := reviewed("function answer() {\n\t/*\x1b[31m\u202e evil \r hidden \x1b]0;x\x07*/\n\n}\r\n")
	for _, bad := range []string{"\x1b", "\r", "\a", "\u202e"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q is not escaped: %q", bad, got)
		}
	}
	for line := range strings.Lines(got) {
		if line != "\n" && !strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "Note: ") {
			t.Errorf("the line %q is not moved", line)
		}
	}
	if !strings.Contains(got, `\u{1b}[31m\u{202e} evil \r hidden`) || !strings.Contains(got, "shown as escapes") {
		t.Error(got)
	}
	if plain := reviewed("a\n\n  b\n"); plain != "    a\n    \n      b\n" {
		t.Errorf("%q", plain)
	}
}
