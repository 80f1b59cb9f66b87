package trace

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible makes text safe to show on one line: whatever does not print
// (control characters, line breaks, bidirectional and invisible characters,
// bytes that are no UTF-8) is shown as an escape. Names and messages in a
// trace come from models and tools.
func Visible(s string) string {
	clean := true
	for i := range len(s) {
		clean = clean && s[i] >= 0x20 && s[i] < 0x7f
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x{%02x}`, s[i])
		case unicode.IsPrint(r):
			b.WriteString(s[i : i+n])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		default:
			fmt.Fprintf(&b, `\u{%02x}`, r)
		}
		i += n
	}
	return b.String()
}
