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
	tree     bool // root is wanted

	root any      // the document as encoding/json decodes it into an any
	top  []member // the members of the document if it is an object, in the order of out
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
func (s *scanner) document() (err error) {
	s.space()
	if s.root, err = s.value(); err != nil {
		return err
	}
	s.space()
	if s.pos < len(s.in) {
		return s.fail(s.pos, "there is %s after the end of the value", s.nextCharacter())
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

// nextCharacter describes the next character for a message.
func (s *scanner) nextCharacter() string {
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

// value reads a value. It returns it only if a tree is wanted.
func (s *scanner) value() (any, error) {
	switch c := s.peek(); {
	case c == '{':
		return s.nested(s.object)
	case c == '[':
		return s.nested(s.array)
	case c == '"':
		text, err := s.text()
		if err != nil {
			return nil, err
		}
		if s.out = quote(s.out, text); s.tree {
			return text, nil
		}
		return nil, nil
	case c == '-' || c >= '0' && c <= '9':
		return s.number()
	}
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(s.in[s.pos:], []byte(word)) {
			s.pos += len(word)
			if s.out = append(s.out, word...); word == "null" {
				return nil, nil
			}
			return word == "true", nil
		}
	}
	return nil, s.fail(s.pos, "expected a value, found %s", s.nextCharacter())
}

func (s *scanner) nested(read func() (any, error)) (any, error) {
	if s.depth++; s.depth > s.maxDepth {
		return nil, s.fail(s.pos, "nested more than %d levels deep", s.maxDepth)
	}
	s.out = append(s.out, s.in[s.pos])
	s.pos++
	value, err := read()
	s.depth--
	return value, err
}

func (s *scanner) array() (any, error) {
	items := []any{}
	s.space()
	for first := true; ; first = false {
		if first && s.peek() == ']' {
			break
		}
		item, err := s.value()
		if err != nil {
			return nil, err
		}
		if s.tree {
			items = append(items, item)
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
		return nil, s.fail(s.pos, "expected , or ] in an array, found %s", s.nextCharacter())
	}
	s.pos++
	s.out = append(s.out, ']')
	return items, nil
}

// member is one member of an object: its key, its start and end and the start of its value in
// scanner.out, and where its value is in scanner.in.
type member struct {
	key               string
	start, value, end int
	from, to          int
}

func (s *scanner) object() (any, error) {
	var members []member
	var values map[string]any
	if s.tree {
		values = map[string]any{}
	}
	seen := map[string]string{} // key as compared → key as written
	s.space()
	for first := true; ; first = false {
		if first && s.peek() == '}' {
			break
		}
		m, value, err := s.member(seen)
		if err != nil {
			return nil, err
		}
		if members = append(members, m); s.tree {
			values[m.key] = value
		}
		s.space()
		if s.peek() != ',' {
			break
		}
		s.pos++
		s.out = append(s.out, ',')
		s.space()
	}
	if s.peek() != '}' {
		return nil, s.fail(s.pos, "expected , or } in an object, found %s", s.nextCharacter())
	}
	s.pos++
	if s.sort {
		s.arrange(members)
	}
	if s.out = append(s.out, '}'); s.depth == 1 {
		s.top = members
	}
	return values, nil
}

func (s *scanner) member(seen map[string]string) (m member, value any, err error) {
	at := s.pos
	if s.peek() != '"' {
		return m, nil, s.fail(at, "expected a key in double quotes, found %s", s.nextCharacter())
	}
	key, err := s.text()
	if err != nil {
		return m, nil, err
	}
	same := key
	if s.fold {
		same = foldKey(key)
	}
	if earlier, dup := seen[same]; dup && earlier == key {
		return m, nil, s.fail(at, "the key %.100q is given twice in one object", key)
	} else if dup {
		return m, nil, s.fail(at, "the keys %.100q and %.100q in one object differ only in letter case", earlier, key)
	}
	seen[same] = key
	m = member{key: key, start: len(s.out)}
	s.out = append(quote(s.out, key), ':')
	s.space()
	if s.peek() != ':' {
		return m, nil, s.fail(s.pos, "expected : after the key %.100q, found %s", key, s.nextCharacter())
	}
	s.pos++
	s.space()
	m.value, m.from = len(s.out), s.pos
	value, err = s.value()
	m.end, m.to = len(s.out), s.pos
	return m, value, err
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
		moved := len(s.out) - m.start
		s.out = append(s.out, written[m.start-start:m.end-start]...)
		members[i].start, members[i].value, members[i].end = m.start+moved, m.value+moved, m.end+moved
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
