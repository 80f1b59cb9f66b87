// Package editor is the text editor in which a person writes a message of a chat. It
// takes keys and returns the text and the lines to show. It does not use a terminal,
// files or a session: its user passes key names as bubbletea writes them, provides the
// completions (see Options), and draws the lines that View returns.
//
// The text contains no control characters except line breaks and tabs, so that the
// lines of View cannot move the cursor. View also escapes other misleading characters,
// such as bidirectional overrides.
package editor

import (
	"strings"
	"unicode"
)

// Choice is one completion: the text that replaces the typed word, and a short help
// text. Shown, if it is set, is what the list shows in place of both.
type Choice struct{ Text, Help, Shown string }

// Options are the history and the sources of completions that an Editor uses. A field
// with its zero value switches its feature off.
type Options struct {
	History *History
	// Commands are the slash commands, with the slash.
	Commands []Choice
	// Files returns the names in the project's view that begin with a text, as they are
	// typed after an @; directories end with a slash.
	Files func(prefix string) []string
	// Values returns the possible arguments of a command, such as the models after
	// /model. prefix is all that follows the command, with its spaces.
	Values func(command, prefix string) []Choice
}

// Editor is a text with a cursor, its undo history and the completions on offer. Make
// it with New and use it from one goroutine.
type Editor struct {
	o    Options
	text string
	at   int // the cursor, as a byte offset between two characters

	goal   int    // the column that Up and Down keep; -1: they use the cursor's column
	killed string // the text that Ctrl+Y inserts
	undo   []state
	typing bool // the last key typed a character; the next one is undone together with it
	past   int  // the entry of the history that is shown, counted from the newest; 0: none
	draft  string
	search *search
	offer  offer
}

type state struct {
	text string
	at   int
}

// maxUndo is how many changes can be undone. For a text longer than maxUndoText bytes
// it is only 4.
const (
	maxUndo     = 100
	maxUndoText = 256 << 10
)

// maxText is the size limit of the text, in bytes. It is the same as that of a chat
// message.
const maxText = 16 << 20

// New returns an empty editor.
func New(o Options) *Editor {
	if o.History == nil {
		o.History = &History{}
	}
	return &Editor{o: o, goal: -1}
}

// Text returns the text as it is now.
func (e *Editor) Text() string { return e.text }

// SetText replaces the text and puts the cursor at its end. It clears the undo history,
// so the old text cannot be restored.
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

// Key handles a key: name is the key's name, text the text that it types, if any. send
// is true if the person wants to send the text. used is false for a key that has no
// function here.
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
	case "ctrl+_", "ctrl+/":
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

// enter asks for the text to be sent. Behind an unescaped backslash at the end of a
// line it inserts a line break instead.
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

// change runs do, which edits the text, and makes the edit undoable.
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

// insert puts text, which must be clean, at the cursor. It does nothing if the result
// would be longer than maxText.
func (e *Editor) insert(s string) {
	if len(e.text)+len(s) > maxText {
		return
	}
	e.text = e.text[:e.at] + s + e.text[e.at:]
	e.at += len(s)
	e.snapCursor()
}

// cut removes the text between two offsets, moves the cursor there, and returns what it
// removed.
func (e *Editor) cut(from, to int) string {
	out := e.text[from:to]
	e.text, e.at = e.text[:from]+e.text[to:], from
	e.snapCursor()
	return out
}

// clean returns s without what a message must not contain: control characters other
// than line breaks and tabs, and bytes that are not UTF-8.
func clean(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
