package web

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// contentType is the kind and the charset of an answer, both in lower case. Without a
// header, the start of the body tells.
func contentType(header string, body []byte) (kind, charset string) {
	kind, rest, _ := strings.Cut(strings.ToLower(header), ";")
	kind = strings.TrimSpace(kind)
	for param := range strings.SplitSeq(rest, ";") {
		if v, ok := strings.CutPrefix(strings.TrimSpace(param), "charset="); ok {
			charset = strings.Trim(v, `"' `)
		}
	}
	start := bytes.ToLower(body[:min(len(body), 1024)])
	if kind == "" {
		kind = "application/octet-stream"
		switch {
		case bytes.Contains(start, []byte("<html")), bytes.Contains(start, []byte("<!doctype html")):
			kind = "text/html"
		case utf8.Valid(body) && !bytes.Contains(body, []byte{0}):
			kind = "text/plain"
		}
	}
	if at := bytes.Index(start, []byte("charset=")); charset == "" && at >= 0 && strings.Contains(kind, "html") {
		name := strings.TrimLeft(string(start[at+len("charset="):]), `"' `)
		if end := strings.IndexAny(name, `"' />;`); end >= 0 {
			charset = name[:end]
		}
	}
	return kind, charset
}

// western is what the bytes 0x80 to 0x9f are in windows-1252, which browsers also
// take for latin1 and ASCII.
var western = []rune("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ")

// decode makes UTF-8 of a text. In a charset that is not known, what is not ASCII
// becomes U+FFFD, and a line says so.
func decode(data []byte, charset string) string {
	wide := func(order func([]byte) uint16, data []byte) string {
		units := make([]uint16, len(data)/2)
		for n := range units {
			units[n] = order(data[2*n:])
		}
		return string(utf16.Decode(units))
	}
	little := func(b []byte) uint16 { return uint16(b[0]) | uint16(b[1])<<8 }
	big := func(b []byte) uint16 { return uint16(b[1]) | uint16(b[0])<<8 }
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		return wide(little, data[2:])
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		return wide(big, data[2:])
	case utf8.Valid(data):
		return strings.TrimPrefix(string(data), "\ufeff")
	}
	switch charset {
	case "utf-16", "utf-16le":
		return wide(little, data)
	case "utf-16be":
		return wide(big, data)
	case "iso-8859-1", "latin1", "windows-1252", "cp1252", "us-ascii", "ascii", "iso-8859-15", "":
		out := make([]rune, len(data))
		for n, c := range data {
			if out[n] = rune(c); c >= 0x80 && c < 0xa0 {
				out[n] = western[c-0x80]
			}
		}
		return string(out)
	case "utf-8", "utf8":
		return strings.ToValidUTF8(string(data), "\uFFFD")
	}
	out := make([]rune, len(data))
	for n, c := range data {
		if out[n] = rune(c); c >= 0x80 {
			out[n] = utf8.RuneError
		}
	}
	return "[the page is in the charset " + Visible(charset[:min(len(charset), 40)]) + ", of which only ASCII can be read]\n" + string(out)
}

// Visible leaves out characters that a person does not see and a model reads: format
// and control characters, fillers, and variation selectors that carry data.
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
