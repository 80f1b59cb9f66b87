package main

import "io"

// shallow passes on the messages of an MCP server, with a text in the place of what is
// nested too deeply: the SDK ends a connection over which such a value comes, and with it
// all the server's tools.
type shallow struct {
	io.ReadCloser
	depth   int
	inText  bool // between quotes
	escaped bool // behind a backslash there
	blank   bool // nothing came yet in this line
	rest    []byte
	read    [4 << 10]byte
}

const (
	maxNested = 500 // the SDK takes 1000
	tooNested = `"(nested too deeply)"`
)

// Read reads what is left of the messages.
func (s *shallow) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		n, err := s.ReadCloser.Read(s.read[:])
		s.rest = s.rest[:0]
		for _, c := range s.read[:n] {
			s.take(c)
		}
		if err != nil && len(s.rest) == 0 { // with something to pass on, the next read tells it again
			return 0, err
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// take passes one byte on, or not. No text goes on in the next line, and no message
// behind an empty one.
func (s *shallow) take(c byte) {
	deep := s.depth > maxNested
	switch {
	case c == '\r':
	case c == '\n':
		if s.inText, s.escaped = false, false; s.blank {
			s.depth = 0
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
