package mcp

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Plain returns a text of a server with invisible characters shown as escapes (line
// breaks and tabs stay), valid UTF-8, trimmed, and at most limit bytes long.
func Plain(s string, limit int) string {
	var out strings.Builder
	for i, r := range strings.TrimSpace(s) {
		if i >= limit {
			out.WriteString("… (cut)")
			break
		}
		if hidden(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

// hidden tells whether people cannot see a character. A line break and a tab they can.
func hidden(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) || r == '\u2028' || r == '\u2029')
}

// plainJSON makes the invisible characters in the strings of a JSON document visible,
// as Plain does. The document must be valid.
func plainJSON(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	show := func(r rune) { out = append(out, fmt.Sprintf(`\\u%04x`, r)...) }
	for i := 0; i < len(raw); {
		if raw[i] == '\\' && i+1 < len(raw) {
			r, n := escape(raw[i:])
			if n > 2 && hidden(r) {
				show(r)
			} else {
				out = append(out, raw[i:i+n]...)
			}
			i += n
			continue
		}
		r, n := utf8.DecodeRune(raw[i:])
		if r != '\r' && r >= 0x80 && hidden(r) {
			show(r)
		} else {
			out = append(out, raw[i:i+n]...)
		}
		i += n
	}
	return out
}

// escape reads an escape of a JSON string, which raw begins with: the character that
// a \u stands for, and how many bytes it takes.
func escape(raw []byte) (r rune, n int) {
	hex := func(at int) rune {
		if len(raw) < at+6 || raw[at] != '\\' || raw[at+1] != 'u' {
			return -1
		}
		v, err := strconv.ParseUint(string(raw[at+2:at+6]), 16, 16)
		if err != nil {
			return -1
		}
		return rune(v)
	}
	first := hex(0)
	if first < 0 {
		return 0, 2
	}
	if pair := utf16.DecodeRune(first, hex(6)); pair != unicode.ReplacementChar {
		return pair, 12
	}
	return first, 6
}
