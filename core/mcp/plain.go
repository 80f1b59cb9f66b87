package mcp

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Plain returns the first limit bytes of a text of a server, trimmed and as valid UTF-8.
// Invisible characters become escapes, which makes the result longer; line breaks and tabs
// stay. A text that is cut ends with "… (cut)".
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

// visible returns a whole text of a result as valid UTF-8, with the escapes of Plain.
// Carriage returns stay, too, and joiners, see unseen.
func visible(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	var out strings.Builder
	for {
		at := strings.IndexFunc(s, func(r rune) bool { return r != '\r' && unseen(r) })
		if at < 0 {
			out.WriteString(s)
			return out.String()
		}
		r, n := utf8.DecodeRuneInString(s[at:])
		fmt.Fprintf(&out, `%s\u%04x`, s[:at], r)
		s = s[at+n:]
	}
}

// hidden reports whether a character is invisible. Line feed and tab count as visible.
func hidden(r rune) bool {
	selector := r >= 0xe0100 && r <= 0xe01ef // variation selectors, a row of which can carry a text
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) || r == '\u2028' || r == '\u2029' || selector)
}

// unseen is hidden for the content of a result, in which the zero-width joiner and
// non-joiner stay: emoji, Persian and Indic texts need them.
func unseen(r rune) bool { return hidden(r) && r != '\u200c' && r != '\u200d' }

// plainJSON replaces the characters of a valid JSON document's strings for which hidden is
// true by visible escapes, as Plain does. The short escape \r stays.
func plainJSON(raw []byte, hidden func(rune) bool) []byte {
	out := make([]byte, 0, len(raw))
	show := func(r rune) { out = append(out, fmt.Sprintf(`\\u%04x`, r)...) }
	for i := 0; i < len(raw); {
		if raw[i] == '\\' && i+1 < len(raw) {
			r, n := escape(raw[i:])
			if hidden(r) && (n > 2 || r != '\r') {
				show(r)
			} else {
				out = append(out, raw[i:i+n]...)
			}
			i += n
			continue
		}
		r, n := utf8.DecodeRune(raw[i:])
		if r >= 0x7f && hidden(r) {
			show(r)
		} else {
			out = append(out, raw[i:i+n]...)
		}
		i += n
	}
	return out
}

// escape reads the JSON escape at the beginning of raw. It returns its length n in bytes
// and the character r.
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
		if i := strings.IndexByte("bfnrt", raw[1]); i >= 0 {
			return rune("\b\f\n\r\t"[i]), 2
		}
		return rune(raw[1]), 2
	}
	if pair := utf16.DecodeRune(first, hex(6)); pair != unicode.ReplacementChar {
		return pair, 12
	}
	return first, 6
}
