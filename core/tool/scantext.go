package tool

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gowebpki/jcs"
)

// text reads a string in quotes and returns its decoded value.
func (s *scanner) text() (string, error) {
	open := s.pos
	s.pos++
	s.plain()
	if s.peek() == '"' { // the fast path: nothing to decode
		s.pos++
		return string(s.in[open+1 : s.pos-1]), nil
	}
	var b strings.Builder
	b.Write(s.in[open+1 : s.pos])
	for {
		if s.pos >= len(s.in) {
			return "", s.fail(s.pos, "the text ends inside a string that starts at byte %d", open+1)
		}
		switch c := s.in[s.pos]; {
		case c == '"':
			s.pos++
			return b.String(), nil
		case c == '\\':
			r, err := s.escape()
			if err != nil {
				return "", err
			}
			b.WriteRune(r)
		case c < 0x20:
			return "", s.fail(s.pos, "a string contains the control character U+%04X; write it as an escape", c)
		case c < utf8.RuneSelf:
			from := s.pos
			s.plain()
			b.Write(s.in[from:s.pos])
		default:
			r, n := utf8.DecodeRune(s.in[s.pos:])
			if r == utf8.RuneError && n == 1 {
				return "", s.fail(s.pos, "a string contains the byte 0x%02x, which is not UTF-8", c)
			}
			b.WriteRune(r)
			s.pos += n
		}
	}
}

// plain skips the ASCII characters that need no decoding in a string.
func (s *scanner) plain() {
	for s.pos < len(s.in) && literal(s.in[s.pos]) {
		s.pos++
	}
}

func literal(c byte) bool { return c >= 0x20 && c < utf8.RuneSelf && c != '"' && c != '\\' }

// escape reads one backslash escape, or two that make a surrogate pair.
func (s *scanner) escape() (rune, error) {
	at := s.pos
	s.pos += 2
	if s.pos > len(s.in) {
		return 0, s.fail(len(s.in), "the text ends inside a string")
	}
	switch s.in[at+1] {
	case '"', '\\', '/':
		return rune(s.in[at+1]), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
		return s.unicode(at)
	}
	s.pos = at + 1
	return 0, s.fail(at, "a string contains the unknown escape \\ and %s; write \\\\ for a backslash", s.nextCharacter())
}

// unicode reads the digits of \uXXXX and, after a high surrogate, its partner.
func (s *scanner) unicode(at int) (rune, error) {
	high, ok := s.hex()
	if !ok {
		return 0, s.fail(at, `a \u escape needs four hexadecimal digits`)
	}
	if !utf16.IsSurrogate(high) {
		return high, nil
	}
	if s.pos+1 < len(s.in) && s.in[s.pos] == '\\' && s.in[s.pos+1] == 'u' {
		s.pos += 2
		if low, ok := s.hex(); ok {
			if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
				return r, nil
			}
		}
	}
	return 0, s.fail(at, "a string contains half of a surrogate pair")
}

func (s *scanner) hex() (rune, bool) {
	if s.pos+4 > len(s.in) {
		return 0, false
	}
	var r rune
	for _, c := range s.in[s.pos : s.pos+4] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	s.pos += 4
	return r, true
}

// quote appends text as a JSON string in its RFC 8785 spelling.
func quote(out []byte, text string) []byte {
	const digits = "0123456789abcdef"
	out = append(out, '"')
	done := 0 // bytes of text that are in out
	for i := range len(text) {
		c := text[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		out = append(out, text[done:i]...)
		done = i + 1
		switch {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c == '\b':
			out = append(out, `\b`...)
		case c == '\f':
			out = append(out, `\f`...)
		case c == '\n':
			out = append(out, `\n`...)
		case c == '\r':
			out = append(out, `\r`...)
		case c == '\t':
			out = append(out, `\t`...)
		default:
			out = append(out, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	return append(append(out, text[done:]...), '"')
}

// maxNumber is the greatest length of one number, in bytes.
const maxNumber = 400

// number reads a JSON number and writes it in its normal form. It returns it only if a tree is
// wanted.
func (s *scanner) number() (any, error) {
	start := s.pos
	if s.peek() == '-' {
		s.pos++
	}
	whole := s.digits()
	if whole == 0 {
		return nil, s.fail(s.pos, "expected a digit, found %s", s.nextCharacter())
	}
	if first := s.in[s.pos-whole]; first == '0' && whole > 1 {
		return nil, s.fail(start, "a number must not start with 0")
	}
	plain := true
	if s.peek() == '.' {
		plain = false
		s.pos++
		if s.digits() == 0 {
			return nil, s.fail(s.pos, "expected a digit after the decimal point, found %s", s.nextCharacter())
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		plain = false
		s.pos++
		if c := s.peek(); c == '+' || c == '-' {
			s.pos++
		}
		if s.digits() == 0 {
			return nil, s.fail(s.pos, "expected a digit in the exponent, found %s", s.nextCharacter())
		}
	}
	if s.pos-start > maxNumber {
		return nil, s.fail(start, "a number has more than %d digits; send it as a string", maxNumber)
	}
	literal := string(s.in[start:s.pos])
	f, spelling, ok := normalNumber(literal, plain)
	if !ok {
		return nil, s.fail(start, "the number %.60s cannot be stored exactly; send it as an integer or a string", literal)
	}
	if s.out = append(s.out, spelling...); s.tree {
		return f, nil
	}
	return nil, nil
}

func (s *scanner) digits() int {
	start := s.pos
	for c := s.peek(); c >= '0' && c <= '9'; c = s.peek() {
		s.pos++
	}
	return s.pos - start
}

// normalNumber returns a number and its spelling in RFC 8785's form, except that an integer
// that a double would change keeps its digits. plain says that the literal has no
// point and no exponent. ok is false for a number that is too large, for one that
// is not zero but would become zero, and for a decimal beyond 2^53 that would
// become another number.
func normalNumber(literal string, plain bool) (f float64, spelling string, ok bool) {
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil {
		return f, "", false // beyond the range of doubles: nothing could read it
	}
	if f == 0 && significant(literal) != "" {
		return f, "", false
	}
	spelling, err = jcs.NumberToJSON(f)
	if err != nil {
		return f, "", false
	}
	const exact = 1 << 53
	if (f >= exact || f <= -exact) && significant(literal) != significant(spelling) {
		return f, literal, plain
	}
	return f + 0, spelling, true // -0 is written 0
}

// significant returns a number's digits without sign, point, exponent and
// the zeros at both ends.
func significant(literal string) string {
	mantissa, _, _ := strings.Cut(strings.ToLower(literal), "e")
	mantissa = strings.Trim(mantissa, "-")
	mantissa = strings.Replace(mantissa, ".", "", 1)
	return strings.Trim(mantissa, "0")
}
