package model

import (
	"strings"

	"golem/core/fault"
)

// reasoningTags are the names of the tags in which models write reasoning at the
// beginning of their text, if their server does not take it out.
var reasoningTags = []string{"think", "thinking", "thought", "thoughts", "reasoning"}

// tags takes reasoning in tags out of a text that comes in pieces: all blocks of
// reasoningTags before anything else. What looks alike later is text. The zero value is
// ready.
type tags struct {
	held   string // not decided yet: blanks, and what may become a tag
	close  string // the closing tag of the block under way; "" outside
	text   bool   // the text has begun
	blocks int
}

// read returns the text of a piece, and the reasoning in it.
func (t *tags) read(piece string) (text, thought string) {
	if t.text {
		return piece, ""
	}
	t.held += piece
	for !t.text {
		if t.close != "" {
			at := strings.Index(lowered(t.held), t.close)
			if at < 0 { // its end may be the beginning of the closing tag
				sure := len(fault.Head(t.held, max(0, len(t.held)-len(t.close)+1)))
				thought, t.held = thought+t.held[:sure], t.held[sure:]
				return "", thought
			}
			thought += t.held[:at]
			t.held, t.close = t.held[at+len(t.close):], ""
			continue
		}
		begin := strings.TrimLeft(t.held, " \t\r\n\uFEFF")
		switch open, end, maybe := opening(begin); {
		case open > 0:
			t.held, t.close = begin[open:], end
			t.blocks++
		case maybe:
			return "", thought
		default:
			t.text = true
		}
	}
	text, more := t.end()
	return text, thought + more
}

// end returns what was held back, when the answer has ended or its text begins.
func (t *tags) end() (text, thought string) {
	out := t.held
	t.held = ""
	if t.close != "" { // the block has no end: all is reasoning
		return "", out
	}
	if t.blocks > 0 {
		return strings.TrimLeft(out, " \t\r\n"), ""
	}
	return out, ""
}

// lowered returns a text with its letters of ASCII in lower case: its bytes stay where
// they are.
func lowered(text string) string {
	out := []byte(text)
	for i, c := range out {
		if c >= 'A' && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return string(out)
}

// opening returns the length of the tag that a text begins with and its closing tag, in
// lower case; maybe is true if the text may become one.
func opening(text string) (length int, end string, maybe bool) {
	text = lowered(text[:min(len(text), 16)])
	for _, name := range reasoningTags {
		for _, form := range [][2]string{{"<" + name + ">", "</" + name + ">"}, {"[" + name + "]", "[/" + name + "]"}} {
			if strings.HasPrefix(text, form[0]) {
				return len(form[0]), form[1], false
			}
			maybe = maybe || strings.HasPrefix(form[0], text)
		}
	}
	return 0, "", maybe
}
