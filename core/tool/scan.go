package tool

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golem/core/sorting"
)

// scanner reads one JSON document and writes its normal form to out, in one
// pass. Recursion is bounded by maxDepth.
type scanner struct {
	in       []byte
	pos      int
	out      []byte
	depth    int
	maxDepth int
	sort     bool // members in RFC 8785 order
	fold     bool // keys that differ only in letter case are duplicates
}

// syntaxError is an error with its position; byte, line and column count from 1.
type syntaxError struct {
	byte, line, column int
	text               string
}

func (e *syntaxError) Error() string {
	return fmt.Sprintf("%s at byte %d (line %d, column %d)", e.text, e.byte, e.line, e.column)
}

// fail returns a syntaxError for the byte at pos, which counts from 0.
func (s *scanner) fail(pos int, format string, args ...any) error {
	before := s.in[:min(pos, len(s.in))]
	line := bytes.Count(before, []byte("\n"))
	column := len(before) - (bytes.LastIndexByte(before, '\n') + 1)
	return &syntaxError{byte: pos + 1, line: line + 1, column: column + 1, text: fmt.Sprintf(format, args...)}
}

// document reads one value and nothing after it.
func (s *scanner) document() error {
	s.space()
	if err := s.value(); err != nil {
		return err
	}
	s.space()
	if s.pos < len(s.in) {
		return s.fail(s.pos, "there is %s after the end of the value", s.found())
	}
	return nil
}

func (s *scanner) space() {
	for s.pos < len(s.in) {
		switch s.in[s.pos] {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return
		}
	}
}

// peek returns the next byte, or 0 at the end.
func (s *scanner) peek() byte {
	if s.pos < len(s.in) {
		return s.in[s.pos]
	}
	return 0
}

// found describes the next character for a message.
func (s *scanner) found() string {
	if s.pos >= len(s.in) {
		return "the end of the text"
	}
	r, n := utf8.DecodeRune(s.in[s.pos:])
	switch {
	case r == utf8.RuneError && n == 1:
		return fmt.Sprintf("the byte 0x%02x", s.in[s.pos])
	case unicode.IsPrint(r):
		return fmt.Sprintf("%q", r)
	}
	return fmt.Sprintf("the character U+%04X", r)
}

func (s *scanner) value() error {
	switch c := s.peek(); {
	case c == '{':
		return s.nested(s.object)
	case c == '[':
		return s.nested(s.array)
	case c == '"':
		text, err := s.text()
		if err != nil {
			return err
		}
		s.out = quote(s.out, text)
		return nil
	case c == '-' || c >= '0' && c <= '9':
		return s.number()
	}
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(s.in[s.pos:], []byte(word)) {
			s.pos += len(word)
			s.out = append(s.out, word...)
			return nil
		}
	}
	return s.fail(s.pos, "expected a value, found %s", s.found())
}

func (s *scanner) nested(read func() error) error {
	if s.depth++; s.depth > s.maxDepth {
		return s.fail(s.pos, "nested more than %d levels deep", s.maxDepth)
	}
	s.out = append(s.out, s.in[s.pos])
	s.pos++
	if err := read(); err != nil {
		return err
	}
	s.depth--
	return nil
}

func (s *scanner) array() error {
	s.space()
	for first := true; ; first = false {
		if first && s.peek() == ']' {
			break
		}
		if err := s.value(); err != nil {
			return err
		}
		s.space()
		if s.peek() != ',' {
			break
		}
		s.pos++
		s.out = append(s.out, ',')
		s.space()
	}
	if s.peek() != ']' {
		return s.fail(s.pos, "expected , or ] in an array, found %s", s.found())
	}
	s.pos++
	s.out = append(s.out, ']')
	return nil
}

// member is one member of an object: its key, and its start and end in scanner.out.
type member struct {
	key        string
	start, end int
}

func (s *scanner) object() error {
	var members []member
	seen := map[string]string{} // key as compared → key as written
	s.space()
	for first := true; ; first = false {
		if first && s.peek() == '}' {
			break
		}
		m, err := s.member(seen)
		if err != nil {
			return err
		}
		members = append(members, m)
		s.space()
		if s.peek() != ',' {
			break
		}
		s.pos++
		s.out = append(s.out, ',')
		s.space()
	}
	if s.peek() != '}' {
		return s.fail(s.pos, "expected , or } in an object, found %s", s.found())
	}
	s.pos++
	if s.sort {
		s.arrange(members)
	}
	s.out = append(s.out, '}')
	return nil
}

func (s *scanner) member(seen map[string]string) (member, error) {
	at := s.pos
	if s.peek() != '"' {
		return member{}, s.fail(at, "expected a key in double quotes, found %s", s.found())
	}
	key, err := s.text()
	if err != nil {
		return member{}, err
	}
	same := key
	if s.fold {
		same = foldKey(key)
	}
	if earlier, dup := seen[same]; dup && earlier == key {
		return member{}, s.fail(at, "the key %.100q is given twice in one object", key)
	} else if dup {
		return member{}, s.fail(at, "the keys %.100q and %.100q in one object differ only in letter case", earlier, key)
	}
	seen[same] = key
	m := member{key: key, start: len(s.out)}
	s.out = append(quote(s.out, key), ':')
	s.space()
	if s.peek() != ':' {
		return member{}, s.fail(s.pos, "expected : after the key %.100q, found %s", key, s.found())
	}
	s.pos++
	s.space()
	if err := s.value(); err != nil {
		return member{}, err
	}
	m.end = len(s.out)
	return m, nil
}

// arrange puts the members just written into RFC 8785 order.
func (s *scanner) arrange(members []member) {
	byKey := func(a, b member) int { return compareUTF16(a.key, b.key) }
	if slices.IsSortedFunc(members, byKey) {
		return
	}
	start := members[0].start
	written := bytes.Clone(s.out[start:])
	sorting.By(members, byKey)
	s.out = s.out[:start]
	for i, m := range members {
		if i > 0 {
			s.out = append(s.out, ',')
		}
		s.out = append(s.out, written[m.start-start:m.end-start]...)
	}
}

// compareUTF16 orders strings by UTF-16 code units, as RFC 8785 asks.
func compareUTF16(a, b string) int {
	for a != "" && b != "" {
		ra, na := utf8.DecodeRuneInString(a)
		rb, nb := utf8.DecodeRuneInString(b)
		if ra != rb {
			ua, ub := utf16.AppendRune(nil, ra), utf16.AppendRune(nil, rb)
			return slices.Compare(ua, ub)
		}
		a, b = a[na:], b[nb:]
	}
	return len(a) - len(b)
}

// foldKey maps strings that differ only in letter case to one string, by Unicode
// simple folding: encoding/json ignores case too, so both would set the same field.
func foldKey(key string) string {
	if ascii(key) {
		return strings.ToUpper(key)
	}
	out := make([]rune, 0, len(key))
	for _, r := range key {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		out = append(out, least)
	}
	return string(out)
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
