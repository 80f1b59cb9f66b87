package plain

import (
	"strings"

	"golem/core/ui"
)

// prose lays out streamed text word by word. The first line begins with the prefix first
// and every other line with rest, so that no line of a model's text begins in the column
// where golem's own lines begin (SECURITY 9). A word is written when it is complete.
type prose struct {
	first ui.Span
	rest  string
	color bool
	width int // columns, prefix included; 0: lines are not broken
	put   func(string)

	col     int  // columns used on this line; 0: the prefix is not written yet
	later   bool // this is not the first line
	spaces  string
	word    strings.Builder
	wordLen int
}

func (p *prose) write(s string) {
	for _, r := range s {
		switch r {
		case '\n':
			p.flush()
			p.spaces = ""
			p.newline()
		case ' ':
			p.flush()
			p.spaces += " "
		case '\t': // spaces, because the width of the terminal's tabs is not known
			p.flush()
			p.spaces += "    "
		default:
			if p.width > 0 && p.wordLen+ui.Columns(r) > p.width-ui.Width(p.rest) {
				p.flush()
			}
			p.word.WriteRune(r)
			p.wordLen += ui.Columns(r)
		}
	}
}

func (p *prose) newline() {
	if p.col == 0 && !p.later {
		return // text never begins with an empty line
	}
	p.put("\n")
	p.col, p.later = 0, true
}

// flush writes the complete word and the spaces before it.
func (p *prose) flush() {
	if p.word.Len() == 0 {
		return
	}
	prefix := ui.Span{Text: p.rest}
	if !p.later {
		prefix = p.first
	}
	begin := p.col == 0
	if !begin && p.width > 0 && p.col+ui.Width(p.spaces)+p.wordLen > p.width {
		p.newline()
		begin, prefix.Text, prefix.Role, p.spaces = true, p.rest, ui.Body, ""
	}
	if begin {
		p.put(prefix.Role.Paint(p.color, prefix.Text))
		p.col = ui.Width(prefix.Text)
		if p.width > 0 { // shorten the indent if it has not enough room
			p.spaces = p.spaces[:min(len(p.spaces), max(p.width-p.col-p.wordLen, 0))]
		}
	}
	p.put(p.spaces + p.word.String())
	p.col += ui.Width(p.spaces) + p.wordLen
	p.spaces, p.wordLen = "", 0
	p.word.Reset()
}

// end writes the rest of the text and ends the line. The next text begins with first.
func (p *prose) end() {
	p.flush()
	if p.col > 0 {
		p.put("\n")
	}
	p.col, p.later, p.spaces = 0, false, ""
}

// midline reports whether a line has begun and not ended.
func (p *prose) midline() bool { return p.col > 0 }
