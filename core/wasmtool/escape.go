package wasmtool

import (
	"fmt"
	"strings"
	"unicode"
)

// Escape returns the first limit bytes of a module's text, safe for an error message:
// valid UTF-8, trimmed, with control and format characters escaped, except line
// breaks. Escaping can make the result longer than limit.
func Escape(b []byte, limit int) string {
	var out strings.Builder
	for _, r := range strings.TrimSpace(text(b, limit)) {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			fmt.Fprintf(&out, "\\u%04x", r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}
