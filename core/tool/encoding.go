package tool

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// Encoding returns the name of the encoding of a text that is not UTF-8: UTF-16 with a
// byte order mark, or Latin-1 (which here means Windows-1252, as in browsers). "" means
// that the beginning of a file is UTF-8, or no text.
func Encoding(start []byte) string {
	switch {
	case bytes.HasPrefix(start, []byte{0xff, 0xfe}) && isText16(units(start)):
		return "UTF-16 (little endian)"
	case bytes.HasPrefix(start, []byte{0xfe, 0xff}) && isText16(units(start)):
		return "UTF-16 (big endian)"
	case utf8.Valid(start), cutRune(start):
		return ""
	}
	other := 0
	for _, c := range start {
		if c >= 0x80 {
			other++
		}
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' || c == 0x7f || c >= 0x80 && c < 0xa0 && windows1252[c-0x80] == 0 {
			return ""
		}
	}
	if other > len(start)/2 { // another single-byte encoding
		return ""
	}
	return "Latin-1"
}

// cutRune reports whether data is UTF-8 but for a last character that is cut.
func cutRune(data []byte) bool {
	for n := 1; n < utf8.UTFMax && n < len(data); n++ {
		if utf8.RuneStart(data[len(data)-n]) {
			return !utf8.FullRune(data[len(data)-n:]) && utf8.Valid(data[:len(data)-n])
		}
	}
	return false
}

// Decoded returns a text as UTF-8, and the name of its encoding if it has another;
// whatever cannot be decoded stays as it is.
func Decoded(data []byte) (text []byte, encoding string) {
	switch encoding = Encoding(data); encoding {
	case "":
		return data, ""
	case "Latin-1":
		out := make([]rune, len(data))
		for i, c := range data {
			out[i] = rune(c)
			if c >= 0x80 && c < 0xa0 {
				out[i] = windows1252[c-0x80]
			}
		}
		return []byte(string(out)), encoding
	}
	return []byte(string(utf16.Decode(units(data)))), encoding
}

// units returns the code units of UTF-16 after a byte order mark.
func units(data []byte) []uint16 {
	order := binary.ByteOrder(binary.LittleEndian)
	if data[0] == 0xfe {
		order = binary.BigEndian
	}
	out := make([]uint16, 0, len(data)/2)
	for rest := data[2:]; len(rest) > 1; rest = rest[2:] {
		out = append(out, order.Uint16(rest))
	}
	return out
}

// isText16 reports whether code units are a text: some characters, and no controls.
func isText16(units []uint16) bool {
	for _, u := range units {
		if u < ' ' && u != '\t' && u != '\n' && u != '\r' && u != '\f' || u >= 0xfffe {
			return false
		}
	}
	return len(units) > 0
}

// windows1252 has the characters of the bytes 0x80 to 0x9f; 0: there is none.
var windows1252 = [32]rune{
	'€', 0, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0, 'Ž', 0,
	0, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0, 'ž', 'Ÿ',
}
