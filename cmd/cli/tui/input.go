package tui

import (
	"bytes"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"
)

// input is the terminal as the program's input. When a terminal goes away, reads fail,
// which the program ignores, and a signal comes, which nohup blocks; gone is therefore
// called on the first failed read.
type input struct {
	*os.File
	gone   func(error)
	pasted *pasted
}

// Read reads keys, and calls gone if that fails.
func (i input) Read(p []byte) (int, error) {
	n, err := i.pasted.read(i.File, p)
	if err != nil {
		i.gone(err)
	}
	return n, err
}

// pasted marks text that was pasted into a terminal which does not mark it (bracketed
// paste): a person types one key after the other, so several lines that come in one read
// were pasted. Without a mark, each of their line breaks would send a message.
type pasted struct {
	now    func() time.Time
	marked bool      // the terminal has marked the beginning of a paste, and not yet its end
	tail   string    // the end of what was read last, in which a mark may have begun
	open   bool      // the last read was a part of a paste; the next one may be, too
	last   time.Time // when it came
	half   []byte    // the first bytes of a character whose other bytes were not read yet
}

// What a terminal writes before and after a text that was pasted.
const pasteBegins, pasteEnds = "\x1b[200~", "\x1b[201~"

// pasteGap is the longest pause between two parts of one paste, which is shorter than that
// between a paste and the next key of a person.
const pasteGap = 100 * time.Millisecond

// read reads into b, and puts marks around text that was pasted without.
func (p *pasted) read(from io.Reader, b []byte) (int, error) {
	room := len(b) - len(pasteBegins) - len(pasteEnds)
	if room <= utf8.UTFMax {
		return from.Read(b)
	}
	n := copy(b, p.half)
	more, err := from.Read(b[n:room])
	n += more
	p.half = nil
	if more == 0 || !p.pastes(b[:n]) {
		p.open = false
		return n, err
	}
	p.open, p.last = true, p.now()
	whole := wholeRunes(b[:n])
	p.half = bytes.Clone(b[whole:n])
	text := string(b[:whole])
	return copy(b, pasteBegins+text+pasteEnds), err
}

// wholeRunes returns how many bytes remain without the first bytes of a character at the end
// whose other bytes are missing.
func wholeRunes(b []byte) int {
	for at := len(b) - 1; at >= max(len(b)-utf8.UTFMax, 0); at-- {
		if utf8.RuneStart(b[at]) && !utf8.FullRune(b[at:]) {
			return at
		}
		if utf8.RuneStart(b[at]) {
			break
		}
	}
	return len(b)
}

// pastes reports whether what was read is, or goes on with, a paste without marks.
func (p *pasted) pastes(read []byte) bool {
	seen := p.tail + string(read)
	if begins, ends := strings.LastIndex(seen, pasteBegins), strings.LastIndex(seen, pasteEnds); begins != ends {
		p.marked = begins > ends
	}
	p.tail = seen[max(len(seen)-len(pasteBegins)+1, 0):]
	if p.marked || bytes.ContainsFunc(read, func(r rune) bool { return r < ' ' && r != '\t' && r != '\r' && r != '\n' || r == 0x7f }) {
		return false
	}
	first, rest, lines := bytes.Cut(bytes.ReplaceAll(read, []byte("\n"), []byte("\r")), []byte("\r"))
	if p.open && p.now().Sub(p.last) < pasteGap {
		return true
	}
	return lines && len(first) > 0 && len(bytes.Trim(rest, "\r")) > 0
}
