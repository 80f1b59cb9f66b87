package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"golem/cmd/cli/columns"
)

// Editor is a text editor for the person's message. It handles keys and text; the
// program draws the screen around it.
type Editor interface {
	// Key handles a key, named as bubbletea writes it ("a", "enter", "alt+enter",
	// "ctrl+a", "shift+tab"), with the text that it types, if any. send is true if the
	// text is to be sent: the program then takes Text and calls SetText with "". used
	// is false for a key that the editor does not handle.
	Key(name, text string) (send, used bool)
	// Paste inserts text that was pasted, line breaks included.
	Paste(text string)
	Text() string
	// SetText replaces the text and puts the cursor behind it.
	SetText(string)
	// View returns the text as at most height lines of at most width columns, with the
	// cursor's column and line, from 0. A list of completions is part of the lines.
	// Lines must be escaped; they may contain SGR sequences only if color is true.
	View(width, height int, color bool) (lines []string, x, y int)
}

// simple is a minimal Editor, which handles letters, Backspace and line breaks. It is
// used where no other editor is given.
type simple struct{ text string }

func (s *simple) Key(name, text string) (send, used bool) {
	switch name {
	case "enter":
		return true, true
	case "alt+enter", "ctrl+j":
		s.text += "\n"
	case "backspace":
		r := []rune(s.text)
		s.text = string(r[:max(len(r)-1, 0)])
	case "ctrl+u":
		s.text = ""
	default:
		if text == "" {
			return false, false
		}
		s.text += text
	}
	return false, true
}

func (s *simple) Paste(text string)   { s.text += text }
func (s *simple) Text() string        { return s.text }
func (s *simple) SetText(text string) { s.text = text }

func (s *simple) View(width, height int, _ bool) (lines []string, x, y int) {
	for _, l := range strings.Split(clean(s.text), "\n") {
		lines = append(lines, chop(l, max(width-1, 4))...)
	}
	lines = lines[max(len(lines)-height, 0):]
	y = len(lines) - 1
	return lines, columns.Of(lines[y]), y
}

// keyOf returns a key's name and the text that it types.
func keyOf(k tea.KeyPressMsg) (name, text string) {
	if k.Mod&^tea.ModShift == 0 {
		text = k.Text
	}
	return k.Keystroke(), text
}
