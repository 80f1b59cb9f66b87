package mcp

import "io"

// shallow is a reader that passes on the messages of an MCP server and replaces values
// that are nested too deeply by a text. Such a value could not be decoded, and with it
// the whole message.
type shallow struct {
	io.ReadCloser
	lines   bool // a line is a message; otherwise an empty line ends a message
	depth   int
	inText  bool // inside a JSON string
	escaped bool // after a backslash in a string
	blank   bool // the current line is empty so far
	rest    []byte
	read    [4 << 10]byte
}

// tooNested replaces what has more than maxNested levels.
const tooNested = `"(nested too deeply)"`

// Read reads the messages after the replacement.
func (s *shallow) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		n, err := s.ReadCloser.Read(s.read[:])
		s.rest = s.rest[:0]
		for _, c := range s.read[:n] {
			s.pass(c)
		}
		if err != nil && len(s.rest) == 0 { // if bytes remain, the next Read returns the error
			return 0, err
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// pass passes a byte on, or drops it inside a value that is nested too deeply. A line
// break ends a string.
func (s *shallow) pass(c byte) {
	deep := s.depth > maxNested
	switch {
	case c == '\r':
	case c == '\n':
		if s.inText, s.escaped = false, false; s.blank || s.lines {
			s.depth, deep = 0, false
		}
	case s.escaped:
		s.escaped = false
	case s.inText:
		s.escaped, s.inText = c == '\\', c != '"'
	case c == '"':
		s.inText = true
	case c == '[' || c == '{':
		if s.depth++; s.depth == maxNested+1 {
			s.rest = append(s.rest, tooNested...)
		}
	case (c == ']' || c == '}') && s.depth > 0:
		s.depth--
	}
	if c != '\r' {
		s.blank = c == '\n'
	}
	if !deep && s.depth <= maxNested {
		s.rest = append(s.rest, c)
	}
}
