package wasmtool

import (
	"fmt"
	"strings"
	"unicode"
)

// Escape makes text from a module safe for an error message: valid UTF-8
// without control and format characters except line breaks, trimmed, and at
// most limit bytes.
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
