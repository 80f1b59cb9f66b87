package wasmtool

import (
	"fmt"
	"strings"
	"unicode"
)

// Escape is a module's own words as they may stand in a fault: valid UTF-8,
// without control and format characters except line breaks, at most limit
// bytes, trimmed.
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
