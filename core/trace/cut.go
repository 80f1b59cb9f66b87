package trace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"golem/core/fault"
)

const (
	maxString = 4096      // bytes; longer strings are stored beside the trace (SPEC §16)
	maxValue  = 256 << 10 // bytes; a longer JSON value is stored beside the trace as a whole
	headBytes = 1024      // bytes of a long string that stay in the line
)

// cutString replaces a text that is too long for a line. The complete text is
// stored beside the trace, see Texts.
type cutString struct {
	Cut    int64  `json:"cut"` // bytes of the whole text
	SHA256 string `json:"sha256"`
	Head   string `json:"head"`
	JSON   bool   `json:"json,omitempty"` // the text is a JSON value, not a string
}

func cutOf(s string) cutString {
	sum := sha256.Sum256([]byte(s))
	return cutString{Cut: int64(len(s)), SHA256: hex.EncodeToString(sum[:]), Head: fault.Head(s, headBytes)}
}

// name returns the name of the file with the complete text.
func (c cutString) name() string {
	if c.JSON {
		return c.SHA256 + jsonSuffix
	}
	return c.SHA256 + textSuffix
}

// String returns the text that is shown if the file with the complete text is missing.
func (c cutString) String() string {
	return fmt.Sprintf("%s [the first %d of %d bytes; the rest, %s, is not beside the trace]", c.Head, len(c.Head), c.Cut, c.name())
}

// cutter replaces long texts in lines by cutStrings. A nil cutter leaves them
// in.
type cutter struct {
	took []taken // taken from the current line
}

// taken is a text that is stored beside the trace.
type taken struct{ name, text string }

// fields appends a body's fields, valid JSON without the braces.
func (c *cutter) fields(dst, src []byte) []byte {
	if c != nil {
		c.took = nil
	}
	if c == nil || len(src) <= maxValue {
		return appendJSON(dst, src, c)
	}
	for i, m := range members(src, 0) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(quote(dst, m.name), ':')
		from := len(dst)
		strings := &cutter{}
		dst = appendJSON(dst, m.raw, strings)
		if len(dst)-from > maxValue && rawFields[m.name] {
			dst = c.value(dst[:from], m.raw)
			continue
		}
		c.took = append(c.took, strings.took...)
	}
	return dst
}

// value appends the replacement of a long JSON value.
func (c *cutter) value(dst, src []byte) []byte {
	whole := string(appendJSON(nil, src, nil))
	cut := cutOf(whole)
	cut.JSON = true
	return c.put(dst, cut, whole)
}

// text appends the replacement of a long string. The replacement of a key is a
// string, too.
func (c *cutter) text(dst []byte, s string, key bool) []byte {
	cut := cutOf(s)
	if key {
		c.took = append(c.took, taken{cut.name(), s})
		return quote(dst, cut.Head+keyMark+cut.SHA256)
	}
	return c.put(dst, cut, s)
}

func (c *cutter) put(dst []byte, cut cutString, whole string) []byte {
	c.took = append(c.took, taken{cut.name(), whole})
	data, err := json.Marshal(cut)
	if err != nil { // unreachable: strings, a number and a boolean always encode
		return append(dst, `""`...)
	}
	return appendSafe(dst, data)
}

// keyMark separates the beginning of a long key from its digest.
const keyMark = "… sha256 "

// EscapeJSON returns valid JSON in the form of a trace line: characters that a terminal or a
// reader of lines could misunderstand are escaped.
func EscapeJSON(data []byte) []byte { return appendJSON(nil, data, nil) }

// appendJSON appends valid JSON to dst in the form of a trace line: c, if not
// nil, replaces strings longer than maxString bytes, and characters that a
// terminal or a reader of lines could misunderstand are escaped.
func appendJSON(dst, src []byte, c *cutter) []byte {
	for i := 0; i < len(src); {
		if src[i] != '"' {
			dst = append(dst, src[i])
			i++
			continue
		}
		end := stringEnd(src, i)
		raw := src[i:end]
		if c != nil && len(raw) > maxString+2 {
			if s := unquote(raw); len(s) > maxString {
				dst = c.text(dst, s, isKey(src, end))
				i = end
				continue
			}
		}
		dst = appendSafe(dst, raw)
		i = end
	}
	return dst
}

// quote appends a string in the form of a trace line.
func quote(dst []byte, s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil { // unreachable: a string always encodes
		return append(dst, `""`...)
	}
	return appendSafe(dst, bytes.TrimSuffix(b.Bytes(), []byte{'\n'}))
}

const hexDigits = "0123456789abcdef"

// appendSafe copies JSON text. It escapes DEL, C1 controls, the line separators
// U+2028 and U+2029 and bidirectional controls, and replaces bytes that are not
// UTF-8.
func appendSafe(dst, raw []byte) []byte {
	from := 0
	for i := 0; i < len(raw); {
		if raw[i] < 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(raw[i:])
		if !(r == utf8.RuneError && n == 1) && !unsafeRune(r) {
			i += n
			continue
		}
		dst = append(dst, raw[from:i]...)
		dst = append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
		i += n
		from = i
	}
	return append(dst, raw[from:]...)
}

// unsafeRune reports whether a character must be escaped in a line. All such
// characters are below U+10000.
func unsafeRune(r rune) bool {
	switch {
	case r >= 0x7f && r <= 0x9f, r == 0x200e, r == 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return false
}

// textual turns cutStrings back into text in the fields of a body that can only
// hold text. Fields of raw JSON stay as they are.
func textual(line []byte, raw func(field string) bool) []byte {
	out := []byte{'{'}
	for i, m := range members(line, 1) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(quote(out, m.name), ':')
		if raw(m.name) {
			out = append(out, m.raw...)
		} else {
			out = uncut(out, m.raw)
		}
	}
	return append(out, '}')
}

// uncut copies a value and writes each cutString in it as text.
func uncut(dst, src []byte) []byte {
	for i := 0; i < len(src); {
		switch src[i] {
		case '"':
			end := stringEnd(src, i)
			dst = append(dst, src[i:end]...)
			i = end
		case '{':
			if c, end, ok := asCut(src, i); ok {
				text, err := json.Marshal(c.String())
				if err == nil {
					dst = append(dst, text...)
					i = end
					continue
				}
			}
			dst = append(dst, '{')
			i++
		default:
			dst = append(dst, src[i])
			i++
		}
	}
	return dst
}

// asCut parses a cutString at src[i], with its fields in their fixed order.
func asCut(src []byte, i int) (c cutString, end int, ok bool) {
	j := space(src, i+1)
	const first = `"cut"`
	if len(src)-j < len(first) || string(src[j:j+len(first)]) != first {
		return c, 0, false
	}
	end = valueEnd(src, i)
	fields := members(src[i:end], 1)
	if len(fields) < 3 || len(fields) > 4 || fields[1].name != "sha256" || fields[2].name != "head" || len(fields) == 4 && fields[3].name != "json" {
		return c, 0, false
	}
	if json.Unmarshal(src[i:end], &c) != nil {
		return c, 0, false
	}
	return c, end, true
}
