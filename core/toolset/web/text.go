package web

import (
	"bytes"
	"strings"
	"unicode"
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

// text converts a text to UTF-8. A byte order mark and valid UTF-8 count more than the
// charset that the answer names; without a charset, other bytes are read as windows-1252, as
// browsers do. For an unknown charset it replaces characters that are not ASCII by U+FFFD and
// adds a line that says so.
func (s Source) text(data []byte, charset string) string {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		charset = "utf-16le"
		data = data[2:]
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		charset = "utf-16be"
		data = data[2:]
	case utf8.Valid(data) && !strings.HasPrefix(charset, "utf-16") && !strings.HasPrefix(charset, "iso-2022"):
		return strings.TrimPrefix(string(data), "\ufeff")
	case charset == "":
		charset = "windows-1252"
	}
	enc := encodingOf(charset)
	if enc == nil && strings.HasPrefix(charset, "utf") {
		return strings.ToValidUTF8(string(data), "\uFFFD")
	}
	if enc == nil {
		if s.Charsets != nil {
			if text, known := s.Charsets.Decode(charset, data); known {
				return strings.ToValidUTF8(text, "\uFFFD")
			}
		}
		return "[the page is in the charset " + visible(charset[:min(len(charset), 40)]) + ", of which only ASCII can be read]\n" + ascii(data)
	}
	out, err := enc.NewDecoder().Bytes(data)
	if err != nil {
		return ascii(data)
	}
	return strings.ToValidUTF8(string(out), "\uFFFD")
}

// ascii returns a text with U+FFFD for each byte that is not ASCII.
func ascii(data []byte) string {
	out := make([]rune, len(data))
	for n, c := range data {
		if out[n] = rune(c); c >= utf8.RuneSelf {
			out[n] = utf8.RuneError
		}
	}
	return string(out)
}

// joins reports whether a joiner after r can change how r looks: after letters outside the
// Latin script, marks and symbols.
func joins(r rune) bool {
	return r > 0x2ff && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsSymbol(r))
}

// visible removes characters that a model reads but a person does not see: format and control
// characters, fillers, and variation selectors that can carry data. Line breaks, tabs and
// single joiners within words and emoji stay.
func visible(s string) string {
	last := rune(0)
	return strings.Map(func(r rune) rune {
		before := last
		last = r
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\u2028' || r == '\u2029':
			return '\n'
		case r == '\u200c' || r == '\u200d': // joiners; emoji, Persian and Indic texts need them
			if !joins(before) {
				return -1
			}
			return r
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
