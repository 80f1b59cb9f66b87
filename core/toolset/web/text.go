package web

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// contentType returns the media type and the charset of an answer, both in lower case. If the
// header does not say them, it looks at the beginning of the body.
func contentType(header string, body []byte) (kind, charset string) {
	kind, rest, _ := strings.Cut(strings.ToLower(header), ";")
	kind = strings.TrimSpace(kind)
	for param := range strings.SplitSeq(rest, ";") {
		if v, ok := strings.CutPrefix(strings.TrimSpace(param), "charset="); ok {
			charset = strings.Trim(v, `"' `)
		}
	}
	start := strings.ToLower(string(body[:min(len(body), 1024)]))
	if kind == "" {
		kind = "application/octet-stream"
		switch {
		case strings.Contains(start, "<html"), strings.Contains(start, "<!doctype html"):
			kind = "text/html"
		case utf8.Valid(body) && !strings.Contains(start, "\x00"):
			kind = "text/plain"
		}
	}
	if _, name, found := strings.Cut(start, "charset="); found && charset == "" && strings.Contains(kind, "html") {
		name = strings.TrimLeft(name, `"' `)
		charset = name[:max(strings.IndexAny(name, `"' />;`), 0)]
	}
	return kind, charset
}

// western has the characters for the bytes 0x80 to 0x9f in windows-1252, which browsers also
// use for latin1 and ASCII.
var western = []rune("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ")

// westernNames are the charsets that browsers read as windows-1252.
var westernNames = words("iso-8859-1 latin1 windows-1252 cp1252 us-ascii ascii iso-8859-15")

// decode converts a text to UTF-8 if it is UTF-8, begins with a byte order mark of UTF-16 or
// is in a western charset. For another charset, it replaces characters that are not ASCII
// by U+FFFD and adds a line that says so.
func decode(data []byte, charset string) string {
	if mark := string(data[:min(2, len(data))]); mark == "\xff\xfe" || mark == "\xfe\xff" {
		first := int(data[0] & 1) // index of the byte with the high bits in each pair
		units := make([]uint16, len(data)/2-1)
		for n := range units {
			at := 2 + 2*n
			units[n] = uint16(data[at+1-first]) | uint16(data[at+first])<<8
		}
		return string(utf16.Decode(units))
	}
	if utf8.Valid(data) || strings.HasPrefix(charset, "utf") {
		return strings.ToValidUTF8(string(data), "\uFFFD")
	}
	known := charset == "" || westernNames[charset]
	out := make([]rune, len(data))
	for n, c := range data {
		if out[n] = rune(c); c >= 0x80 && !known {
			out[n] = utf8.RuneError
		} else if c >= 0x80 && c < 0xa0 {
			out[n] = western[c-0x80]
		}
	}
	if known {
		return string(out)
	}
	return "[the page is in the charset " + Visible(charset[:min(len(charset), 40)]) + ", of which only ASCII can be read]\n" + string(out)
}

// Visible removes characters that a model reads but a person does not see: format and control
// characters, fillers, and variation selectors that can carry data. Line breaks and tabs
// stay.
func Visible(s string) string {
	last := rune(0)
	return strings.Map(func(r rune) rune {
		before := last
		last = r
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\u2028' || r == '\u2029':
			return '\n'
		case r < ' ', r == 0x7f, unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co), r == '\u115f', r == '\u1160', r == '\u3164', r == '\uffa0', r == '\u034f':
			return -1
		case r >= 0xe0100 && r <= 0xe01ef, r == '\u180b' || r == '\u180c' || r == '\u180d':
			return -1
		case r >= 0xfe00 && r <= 0xfe0f && (before < 0x200 || before >= 0xfe00 && before <= 0xfe0f):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
