package console

import (
	"strings"
	"testing"
)

// A trace that somebody else wrote cannot move the cursor: on a terminal its control
// characters are shown as escapes (SECURITY 9). A file gets all bytes unchanged.
func TestPiecesOnATerminal(t *testing.T) {
	line := "{\"text\":\"a\x1b[2Jb\u202ec\n"
	for plain, want := range map[bool]string{false: line, true: "{\"text\":\"a\\u{1b}[2Jb\\u{202e}c\n"} {
		var got strings.Builder
		p := Pieces{w: &got, Plain: plain}
		if n, err := p.Write([]byte(line)); n != len(line) || err != nil || got.String() != want {
			t.Errorf("plain %v: %d %v %q, want %q", plain, n, err, got.String(), want)
		}
	}
}
