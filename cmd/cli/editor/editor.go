// Package editor is where a person writes a message of a chat: keys go in, the text and
// the lines to show come out. It knows no terminal, no files and no session: whoever
// uses it names the keys as bubbletea does, lends what completion offers, and draws
// View.
//
// The text has no control characters but line breaks and tabs, so that View cannot move
// the cursor; what else could mislead is escaped when it is shown.
package editor

import (
	"strings"
	"unicode"
)

// Choice is what completion offers: the text that replaces what was typed, and what it
// is.
type Choice struct{ Text, Help string }

// Options are what an Editor is lent. The zero value of a field leaves out what it is
// for.
type Options struct {
	History *History
	// Commands are the slash commands, with the slash.
	Commands []Choice
	// Files returns the names in the project's view that begin with a text, as they are
	// typed after an @; directories end with a slash.
	Files func(prefix string) []string
	// Values returns what may follow a command, such as the models after /model.
	Values func(command, prefix string) []Choice
}

// Editor is a text with a cursor. Make it with New and use it from one goroutine.
type Editor struct {
	o    Options
	text string
	at   int // the cursor, in bytes, between two characters

	goal   int    // the column that Up and Down keep; -1: the cursor's
	killed string // what Ctrl+Y puts back
	undo   []state
	typing bool // the last key typed a character: the next one is undone with it
	past   int  // which entry of the history is shown, counted from the newest; 0: none
	draft  string
	search *search
	offer  offer
}

type state struct {
	text string
	at   int
}

// maxUndo is how many changes can be taken back; of a text longer than maxUndoText bytes
// only a few.
const (
	maxUndo     = 100
	maxUndoText = 256 << 10
)

// maxText bounds the text, in bytes, as a message of a chat is bounded.
const maxText = 16 << 20

// New returns an empty editor.
func New(o Options) *Editor {
	if o.History == nil {
		o.History = &History{}
	}
	return &Editor{o: o, goal: -1}
}

// Text is what was written.
func (e *Editor) Text() string { return e.text }

// SetText replaces the text and puts the cursor behind it. What was there cannot be
// taken back with undo.
func (e *Editor) SetText(s string) {
	e.text = clean(s)
	e.at, e.goal, e.undo, e.past, e.search, e.offer = len(e.text), -1, nil, 0, nil, offer{}
	e.typing = false
}

// Paste inserts a text, line breaks included, as one change.
func (e *Editor) Paste(s string) {
	e.leaveSearch()
	e.change(func() { e.insert(clean(s)) })
	e.offer = offer{}
}

// Key takes a key by its name, with the text that it types, if any. send is true if the
// text is to be sent; used is false for a key that means nothing here.
func (e *Editor) Key(name, text string) (send, used bool) {
	if e.search != nil {
		if done := e.searchKey(name, text); done {
			return false, true
		}
	}
	if e.offerKey(name) {
		return false, true
	}
	if name != "up" && name != "down" {
		e.goal = -1
	}
	if move, ok := moves[name]; ok {
		e.at, e.typing = move(e), false
		e.offer = offer{}
		return false, true
	}
	if edit, ok := edits[name]; ok {
		e.change(func() { edit(e) })
		e.complete()
		return false, true
	}
	switch name {
	case "enter":
		return e.enter()
	case "tab":
		if !e.offer.open() {
			e.offer.shut = false
			e.complete()
		}
		return false, e.accept()
	case "up", "ctrl+p":
		return false, e.up()
	case "down", "ctrl+n":
		return false, e.down()
	case "ctrl+r":
		e.search = &search{before: state{e.text, e.at}}
		e.offer = offer{}
		return false, true
	case "ctrl+_", "ctrl+/", "ctrl+z":
		e.takeBack()
		return false, true
	}
	if text = clean(text); text == "" {
		return false, false
	}
	if !e.typing {
		e.remember()
	}
	e.typing = !strings.ContainsFunc(text, unicode.IsSpace) // undo goes word by word
	e.insert(text)
	e.past = 0
	e.complete()
	return false, true
}

// enter sends, or breaks the line behind a backslash.
func (e *Editor) enter() (send, used bool) {
	before := e.text[:e.at]
	slashes := len(before) - len(strings.TrimRight(before, `\`))
	if slashes%2 == 1 && (e.at == len(e.text) || e.text[e.at] == '\n') {
		e.change(func() {
			e.text = before[:e.at-1] + "\n" + e.text[e.at:]
		})
		return false, true
	}
	e.offer = offer{}
	return true, true
}

// change makes a change that can be taken back.
func (e *Editor) change(do func()) {
	e.remember()
	before := e.text
	do()
	e.typing = false
	if e.text == before {
		e.undo = e.undo[:len(e.undo)-1]
		return
	}
	e.past = 0
}

func (e *Editor) remember() {
	most := maxUndo
	if len(e.text) > maxUndoText {
		most = 4
	}
	e.undo = e.undo[max(len(e.undo)-most+1, 0):]
	e.undo = append(e.undo, state{e.text, e.at})
}

func (e *Editor) takeBack() {
	if n := len(e.undo); n > 0 {
		e.text, e.at, e.undo = e.undo[n-1].text, e.undo[n-1].at, e.undo[:n-1]
	}
	e.typing, e.offer = false, offer{}
}

// insert puts clean text at the cursor. More than maxText stays out.
func (e *Editor) insert(s string) {
	if len(e.text)+len(s) > maxText {
		return
	}
	e.text = e.text[:e.at] + s + e.text[e.at:]
	e.at += len(s)
	e.settle()
}

// cut removes what stands between two places, and puts the cursor there.
func (e *Editor) cut(from, to int) string {
	out := e.text[from:to]
	e.text, e.at = e.text[:from]+e.text[to:], from
	e.settle()
	return out
}

// clean is text without what a message does not have: control characters other than
// line breaks and tabs, and bytes that are not UTF-8.
func clean(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
