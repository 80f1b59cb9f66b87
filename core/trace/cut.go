package trace

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

const (
	maxString = 4096 // bytes; longer strings are cut in a trace (SPEC §16)
	headBytes = 1024 // how much of a cut string is kept
)

// cutString stands for a string that was too long to keep whole.
type cutString struct {
	Cut    int    `json:"cut"` // bytes of the whole string
	SHA256 string `json:"sha256"`
	Head   string `json:"head"`
}

func cutOf(s string) cutString {
	sum := sha256.Sum256([]byte(s))
	return cutString{len(s), hex.EncodeToString(sum[:]), head(s, headBytes)}
}

// String is how a cut string reads where only text fits.
func (c cutString) String() string {
	return fmt.Sprintf("%s… [cut: %d bytes, sha256 %s]", c.Head, c.Cut, c.SHA256)
}

// head is the first n bytes, less what would break a character.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// appendJSON appends valid JSON to dst as a trace line holds it: strings over
// maxString bytes are replaced by a cutString (a key by its head and
// digest), if cut is set; and what a terminal or a line reader could take for
// more than text is escaped.
func appendJSON(dst, src []byte, cut bool) []byte {
	for i := 0; i < len(src); {
		if src[i] != '"' {
			dst = append(dst, src[i])
			i++
			continue
		}
		end := stringEnd(src, i)
		raw := src[i:end]
		if cut && len(raw) > maxString+2 {
			if s := unquote(raw); len(s) > maxString {
				dst = appendCut(dst, s, isKey(src, end))
				i = end
				continue
			}
		}
		dst = appendSafe(dst, raw)
		i = end
	}
	return dst
}

func appendCut(dst []byte, s string, key bool) []byte {
	c := cutOf(s)
	var v any = c
	if key {
		v = c.Head + "… sha256 " + c.SHA256
	}
	data, err := json.Marshal(v)
	if err != nil { // unreachable: strings and a number always encode
		return append(dst, `""`...)
	}
	return appendSafe(dst, data)
}

const hexDigits = "0123456789abcdef"

// appendSafe copies a JSON text in which it escapes DEL, C1, the line
// separators U+2028 and U+2029 and bidirectional controls, and replaces
// bytes that are no UTF-8.
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

// unsafeRune is true for characters that must not stand raw in a line. All
// of them are below U+10000.
func unsafeRune(r rune) bool {
	switch {
	case r >= 0x7f && r <= 0x9f, r == 0x200e, r == 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return false
}

// textual turns cut strings back to text in the fields of a body that can
// hold nothing else. Raw JSON fields keep them as they are.
func textual(line []byte, raw func(field string) bool) []byte {
	out := []byte{'{'}
	for i, m := range members(line) {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			continue // unreachable: a string always encodes
		}
		out = append(append(out, name...), ':')
		if raw(m.name) {
			out = append(out, m.raw...)
		} else {
			out = uncut(out, m.raw)
		}
	}
	return append(out, '}')
}

// uncut copies a value, each cutString in it written as text.
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

// asCut reads a cutString at src[i]: its three fields in their order.
func asCut(src []byte, i int) (c cutString, end int, ok bool) {
	j := space(src, i+1)
	const first = `"cut"`
	if len(src)-j < len(first) || string(src[j:j+len(first)]) != first {
		return c, 0, false
	}
	end = valueEnd(src, i)
	fields := members(src[i:end])
	if len(fields) != 3 || fields[1].name != "sha256" || fields[2].name != "head" {
		return c, 0, false
	}
	if json.Unmarshal(src[i:end], &c) != nil {
		return c, 0, false
	}
	return c, end, true
}
