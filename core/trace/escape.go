package trace

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible makes text safe to show on one line: characters that are not
// printable (control characters, line breaks, bidirectional and invisible
// characters, bytes that are not UTF-8) become escapes. Use it for names and
// messages of a trace, because they come from models and tools.
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
