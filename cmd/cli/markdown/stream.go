// Package markdown draws Markdown for a terminal, as lines of a given width with SGR
// styles. A text that grows is drawn by block: what is finished is drawn once. What
// the text has is escaped after it was read, so that no character reference, link or
// code moves the cursor.
package markdown

import (
	"strings"
)

// Options say for what screen lines are made.
type Options struct {
	Width int  // columns; at least 8 are used
	Color bool // without, there are no SGR sequences, and marks such as ** stay
}

// Stream is a text that grows. Use it from one goroutine; make it with New.
type Stream struct {
	o     Options
	lines []string // of what is finished
	rest  string   // the source of what is not
	code  *code    // the code block that the rest is in; nil: none
	tail  []string // the lines of the rest
	drawn string   // what tail was made of
}

// New begins a text.
func New(o Options) *Stream {
	o.Width = max(o.Width, 8)
	return &Stream{o: o}
}

// Render draws a whole text.
func Render(text string, o Options) []string {
	s := New(o)
	s.Write(text)
	s.End()
	return s.Lines()
}

// Write adds to the text.
func (s *Stream) Write(more string) {
	s.rest += more
	for s.advance() {
	}
}

// End finishes the text.
func (s *Stream) End() {
	s.lines = append(s.lines, s.unfinished()...)
	s.rest, s.code, s.tail, s.drawn = "", nil, nil, ""
}

// Lines are the lines of the text so far.
func (s *Stream) Lines() []string {
	n := len(s.lines)
	return append(s.lines[:n:n], s.Unfinished()...)
}

// Finished are the lines that do not change any more, however the text goes on.
func (s *Stream) Finished() []string { return s.lines }

// Unfinished are the lines behind them. They are valid until the next Write.
func (s *Stream) Unfinished() []string {
	if s.drawn != s.rest {
		s.tail, s.drawn = s.unfinished(), s.rest
	}
	return s.tail
}

// unfinished draws the rest as if the text ended there.
func (s *Stream) unfinished() []string {
	if s.code != nil {
		if s.rest == "" || s.code.closes(s.rest) {
			return nil
		}
		c := *s.code
		return c.line(s.o, s.rest)
	}
	return s.spaced(renderBlock(s.rest, s.o))
}

// spaced are the lines of a block, with an empty line before them if something stands
// there.
func (s *Stream) spaced(lines []string) []string {
	if len(lines) == 0 || len(s.lines) == 0 {
		return lines
	}
	return append([]string{""}, lines...)
}

// How many bytes of a block are drawn again while it grows; a longer one is cut
// between two lines. A table is not readable without its head.
const (
	maxBlock = 4 << 10
	maxTable = 16 << 10
)

// advance draws the next block if it is finished.
func (s *Stream) advance() bool {
	if s.code != nil {
		line, rest, whole := strings.Cut(s.rest, "\n")
		if !whole && len(line) < maxBlock {
			return false
		}
		s.rest = rest
		if s.code.closes(line) {
			s.code = nil
		} else {
			s.lines = append(s.lines, s.code.line(s.o, line)...)
		}
		return true
	}
	if first, rest, whole := strings.Cut(s.rest, "\n"); whole {
		if strings.TrimSpace(first) == "" {
			s.rest = rest
			return true
		}
		if c := opens(first); c != nil {
			if len(s.lines) > 0 {
				s.lines = append(s.lines, "")
			}
			s.lines = append(s.lines, c.head(s.o)...)
			s.code, s.rest = c, rest
			return true
		}
	}
	end := blockEnd(s.rest)
	if end == 0 {
		return false
	}
	s.lines = append(s.lines, s.spaced(renderBlock(s.rest[:end], s.o))...)
	s.rest = s.rest[end:]
	return true
}

// blockEnd is where the first block of a text ends; 0 if it may go on.
func blockEnd(text string) int {
	list := isItem(text)
	var fence *code // inside a list
	blank := false
	at := 0
	for at < len(text) {
		line, _, whole := strings.Cut(text[at:], "\n")
		if !whole && len(line) < 4 {
			break // too little to tell what the line is
		}
		indent := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case fence != nil:
			if fence.closes(strings.TrimLeft(line, " ")) {
				fence = nil
			}
		case strings.TrimSpace(line) == "":
			blank = true
			at += len(line) + 1
			continue
		case at > 0 && indent < 2 && (opens(line) != nil || blank && !(list && isItem(line))):
			return at
		default:
			if list {
				fence = opens(strings.TrimLeft(line, " "))
			}
		}
		blank = false
		at += len(line) + 1
	}
	return tooLong(text)
}

// tooLong is where a block that is longer than is drawn again and again is cut; 0 if it
// is not.
func tooLong(text string) int {
	most := maxBlock
	if strings.HasPrefix(text, "|") {
		most = maxTable
	}
	if len(text) < most {
		return 0
	}
	for _, cut := range []string{"\n", " "} {
		if at := strings.LastIndex(text[:most], cut); at > 0 {
			return at + 1
		}
	}
	for most > 1 && most < len(text) && text[most]&0xc0 == 0x80 { // between two characters
		most--
	}
	return most
}

// isItem tells whether a line begins an item of a list.
func isItem(line string) bool {
	line = strings.TrimLeft(line, " ")
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if digits > 0 && digits < 10 {
		line = line[digits:]
		return strings.HasPrefix(line, ". ") || strings.HasPrefix(line, ") ")
	}
	return strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "+ ")
}
