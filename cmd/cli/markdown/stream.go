// Package markdown draws Markdown for a terminal, as lines of a given width with SGR
// styles. A text that is still growing is drawn block by block: a finished block is
// drawn only once. The text is parsed before it is escaped, so that no character
// reference, link or code can move the cursor.
package markdown

import (
	"strings"
)

// Options describe the screen that the lines are made for.
type Options struct {
	Width int  // columns; at least 8 are used
	Color bool // without, there are no SGR sequences, and marks such as ** stay
	// Code is drawn as it is: from the first column, in lines of any length and without the name
	// of its language, so that a person can copy it. A terminal breaks such lines itself.
	PlainCode bool
}

// Stream draws a text that grows. Make it with New and use it from one goroutine.
type Stream struct {
	o     Options
	lines []string // of the finished blocks
	rest  string   // the source after the finished blocks
	code  *code    // the code block that the rest is in; nil: none
	tail  []string // the lines of the rest
	drawn string   // the source that tail was made of
}

// New returns a Stream for an empty text.
func New(o Options) *Stream {
	o.Width = max(o.Width, 8)
	return &Stream{o: o}
}

// Render returns the lines of a complete text.
func Render(text string, o Options) []string {
	s := New(o)
	s.Write(text)
	s.End()
	return s.Lines()
}

// Write appends to the text and draws the blocks that are finished now.
func (s *Stream) Write(more string) {
	s.rest += more
	for s.advance() {
	}
}

// End marks the text as complete: the rest is drawn, and all lines are finished.
func (s *Stream) End() {
	s.lines = append(s.lines, s.unfinished()...)
	s.rest, s.code, s.tail, s.drawn = "", nil, nil, ""
}

// Lines returns the lines of the text so far: the finished and the unfinished ones.
func (s *Stream) Lines() []string {
	n := len(s.lines)
	return append(s.lines[:n:n], s.Unfinished()...)
}

// Finished returns the lines that stay the same however the text goes on. The caller
// must not change the slice.
func (s *Stream) Finished() []string { return s.lines }

// Unfinished returns the lines after the finished ones. They are valid until the next
// Write.
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

// spaced returns the lines of a block, with an empty line before them if other lines
// precede.
func (s *Stream) spaced(lines []string) []string {
	if len(lines) == 0 || len(s.lines) == 0 {
		return lines
	}
	return append([]string{""}, lines...)
}

// Sizes in bytes up to which a block may grow while it is drawn again after each Write.
// A longer block is cut between two lines. A table may be longer, because the part
// after a cut has no head and cannot be read.
const (
	maxBlock = 4 << 10
	maxTable = 16 << 10
)

// advance draws the next block, or the next line of a code block, if it is complete. It
// reports whether it made progress.
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

// blockEnd returns the offset where the first block of a text ends; 0 if it may go on.
func blockEnd(text string) int {
	list := isItem(text)
	var fence *code // an open code fence inside a list
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

// tooLong returns the offset at which to cut a block that is longer than its size
// limit; 0 if it is not longer.
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

// isItem reports whether a line begins an item of a list.
func isItem(line string) bool {
	line = strings.TrimLeft(line, " ")
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if digits > 0 && digits < 10 {
		line = line[digits:]
		return strings.HasPrefix(line, ". ") || strings.HasPrefix(line, ") ")
	}
	return strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "+ ")
}
