package yamltree

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golem/core/fault"
)

// CheckText returns a fault at the first byte that is not UTF-8 text; nil if all are.
func CheckText(file string, data []byte) *fault.Fault {
	if isUTF16(data) {
		return Pos{file, 1, 1}.Fault(fault.Config, "the file is UTF-16").Hinting("save it as UTF-8")
	}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return positionAt(file, data, i).Fault(fault.Config, "the file contains a NUL byte, so it is not a text file")
	}
	for i := 0; i < len(data); {
		if data[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return positionAt(file, data, i).Fault(fault.Config, "byte 0x%02x is not UTF-8", data[i]).
				Hinting("save the file as UTF-8")
		}
		i += size
	}
	return nil
}

// positionAt returns the position of a byte offset, with a column in characters.
func positionAt(file string, data []byte, offset int) Pos {
	offset = min(max(offset, 0), len(data))
	before := data[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return Pos{file, 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])}
}

// Invisible reports whether a text has control, format or bidirectional
// characters, which can make a name look like another (SECURITY 9, 11), or is
// not UTF-8.
func Invisible(s string) bool {
	return !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool {
		return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
	})
}

// isUTF16 reports whether a file is UTF-16: it begins with the byte order mark of
// UTF-16, or every other of its first bytes is zero.
func isUTF16(data []byte) bool {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return true
	}
	if len(data) < 6 {
		return false
	}
	return data[0] != 0 && data[1] == 0 && data[2] != 0 && data[3] == 0 && data[5] == 0 ||
		data[0] == 0 && data[1] != 0 && data[2] == 0 && data[3] != 0 && data[4] == 0
}
