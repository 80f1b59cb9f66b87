package editor

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golem/cmd/cli/columns"
)

// moves are the keys that only move the cursor: those of Emacs and of other editors.
// Each function returns the new offset.
var moves = map[string]func(*Editor) int{
	"left": (*Editor).previousOffset, "ctrl+b": (*Editor).previousOffset,
	"right": (*Editor).nextOffset, "ctrl+f": (*Editor).nextOffset,
	"home": (*Editor).lineStart, "ctrl+a": (*Editor).lineStart,
	"end": (*Editor).lineEnd, "ctrl+e": (*Editor).lineEnd,
	"alt+b": (*Editor).wordStart, "alt+left": (*Editor).wordStart, "ctrl+left": (*Editor).wordStart,
	"alt+f": (*Editor).wordEnd, "alt+right": (*Editor).wordEnd, "ctrl+right": (*Editor).wordEnd,
	"alt+<": func(*Editor) int { return 0 },
	"alt+>": func(e *Editor) int { return len(e.text) },
}

// edits are the keys that change the text.
var edits = map[string]func(*Editor){
	"alt+enter": lineBreak, "ctrl+j": lineBreak, "shift+enter": lineBreak,
	"backspace": func(e *Editor) { e.cut(e.previousOffset(), e.at) },
	"ctrl+h":    func(e *Editor) { e.cut(e.previousOffset(), e.at) },
	"delete":    func(e *Editor) { e.cut(e.at, e.nextOffset()) },
	"ctrl+d":    func(e *Editor) { e.cut(e.at, e.nextOffset()) },
	"ctrl+w": func(e *Editor) {
		from := e.at
		for from > 0 && space(e.text[:from]) {
			from = size(e.text[:from])
		}
		for from > 0 && !space(e.text[:from]) {
			from = size(e.text[:from])
		}
		e.kill(from, e.at)
	},
	"alt+backspace": func(e *Editor) { e.kill(e.wordStart(), e.at) },
	"alt+d":         func(e *Editor) { e.kill(e.at, e.wordEnd()) },
	"ctrl+u":        func(e *Editor) { e.kill(e.lineStart(), e.at) },
	"ctrl+k": func(e *Editor) {
		to := e.lineEnd()
		if to == e.at { // at the end of a line, cut the line break
			to = e.nextOffset()
		}
		e.kill(e.at, to)
	},
	"ctrl+y": func(e *Editor) { e.insert(e.killed) },
	"ctrl+t": swap,
}

func lineBreak(e *Editor) { e.insert("\n") }

// kill cuts the text between two offsets and keeps it for Ctrl+Y.
func (e *Editor) kill(from, to int) {
	if from < to {
		e.killed = e.cut(from, to)
	}
}

// swap exchanges the characters on both sides of the cursor.
func swap(e *Editor) {
	if e.at == len(e.text) {
		e.at = e.previousOffset()
	}
	from, to := e.previousOffset(), e.nextOffset()
	if from == e.at || to == e.at {
		return
	}
	e.text = e.text[:from] + e.text[e.at:to] + e.text[from:e.at] + e.text[to:]
	e.at = to
	e.snapCursor()
}

// far is how many bytes before the cursor are searched for the beginning of a
// character.
const far = 512

// previousOffset returns the offset where the character before the cursor begins.
func (e *Editor) previousOffset() int {
	from := max(e.at-far, 0)
	for from > 0 && !utf8.RuneStart(e.text[from]) {
		from--
	}
	if i := strings.LastIndexByte(e.text[from:max(e.at-1, from)], '\n'); i >= 0 {
		from += i + 1
	}
	last := from
	for i := from; i < e.at; {
		last = i
		n, _ := columns.First(e.text[i:])
		i += n
	}
	return min(last, e.at)
}

// nextOffset returns the offset where the character at the cursor ends.
func (e *Editor) nextOffset() int {
	n, _ := columns.First(e.text[e.at:])
	return e.at + n
}

func (e *Editor) lineStart() int { return strings.LastIndexByte(e.text[:e.at], '\n') + 1 }

func (e *Editor) lineEnd() int {
	if i := strings.IndexByte(e.text[e.at:], '\n'); i >= 0 {
		return e.at + i
	}
	return len(e.text)
}

// snapCursor moves the cursor to a boundary between two characters: inserted code points
// may have joined with the code points before or after them.
func (e *Editor) snapCursor() {
	from := max(e.lineStart(), e.at-far)
	for from > 0 && from < len(e.text) && !utf8.RuneStart(e.text[from]) {
		from--
	}
	for i := from; i < e.at; {
		n, _ := columns.First(e.text[i:])
		if i += n; i >= e.at {
			e.at = i
		}
	}
}

// word reports whether s ends with a letter, a digit, a mark or an underscore. space
// reports whether it ends with white space. size returns the offset of its last code
// point.
func word(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
}

func space(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsSpace(r)
}

func size(s string) int {
	_, n := utf8.DecodeLastRuneInString(s)
	return len(s) - n
}

func (e *Editor) wordStart() int {
	at := e.at
	for at > 0 && !word(e.text[:at]) {
		at = size(e.text[:at])
	}
	for at > 0 && word(e.text[:at]) {
		at = size(e.text[:at])
	}
	return e.aligned(at)
}

func (e *Editor) wordEnd() int {
	next := func(at int) int {
		_, n := utf8.DecodeRuneInString(e.text[at:])
		return at + n
	}
	at := e.at
	for at < len(e.text) && !word(e.text[:next(at)]) {
		at = next(at)
	}
	for at < len(e.text) && word(e.text[:next(at)]) {
		at = next(at)
	}
	return e.aligned(at)
}

// aligned returns the offset at, moved to the end of the character that contains it.
func (e *Editor) aligned(at int) int {
	probe := Editor{text: e.text, at: at}
	probe.snapCursor()
	return probe.at
}
