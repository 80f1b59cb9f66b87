package editor

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// offer is what completion offers at the moment.
type offer struct {
	choices []Choice
	from    int  // where the word that they replace begins
	pick    int  // the chosen one, from 1; 0: none yet
	shut    bool // Esc closed the list, until the word ends
}

// maxChoices is how many choices are offered, maxShown how many are seen at once.
const (
	maxChoices = 200
	maxShown   = 6
)

// complete settles what is offered for the word before the cursor.
func (e *Editor) complete() {
	shut := e.offer.shut
	from, choices := e.choices()
	if len(choices) == 0 {
		e.offer = offer{}
		return
	}
	if len(choices) == 1 && choices[0].Text == e.text[from:e.at] {
		choices = nil
	}
	e.offer = offer{choices: choices[:min(len(choices), maxChoices)], from: from, shut: shut}
}

// choices are what fits the word before the cursor, and where the word begins.
func (e *Editor) choices() (from int, out []Choice) {
	before := e.text[:e.at]
	if strings.HasPrefix(before, "/") && !strings.HasPrefix(before, "//") && !strings.Contains(before, "\n") {
		name, rest, more := strings.Cut(before, " ")
		if !more {
			for _, c := range e.o.Commands {
				if strings.HasPrefix(c.Text, strings.ToLower(name)) {
					out = append(out, c)
				}
			}
			return 0, out
		}
		if e.o.Values == nil || strings.ContainsRune(rest, ' ') {
			return 0, nil
		}
		return len(before) - len(rest), e.o.Values(name, rest)
	}
	if i := strings.LastIndexFunc(before, unicode.IsSpace); i >= 0 {
		_, n := utf8.DecodeRuneInString(before[i:])
		from = i + n
	}
	word, is := strings.CutPrefix(before[from:], "@")
	if !is || e.o.Files == nil {
		return 0, nil
	}
	for _, name := range e.o.Files(word) {
		if name == clean(name) && !strings.ContainsFunc(name, unicode.IsSpace) { // it could not be told from what follows
			out = append(out, Choice{Text: "@" + name})
		}
	}
	return from, out
}

// open says whether a list of choices is shown.
func (o offer) open() bool { return len(o.choices) > 0 && !o.shut }

// offerKey takes a key that belongs to the list; false: it means what it always does.
func (e *Editor) offerKey(name string) bool {
	o := &e.offer
	if !o.open() {
		return false
	}
	n := len(o.choices)
	switch name {
	case "up", "shift+tab", "ctrl+p":
		o.pick = (o.pick + n) % (n + 1)
	case "down", "ctrl+n":
		o.pick = (o.pick + 1) % (n + 1)
	case "esc":
		o.shut = true
	case "enter":
		return o.pick > 0 && e.accept()
	default:
		return false
	}
	return true
}

// accept puts the chosen text, or the first one, in the place of the word. A directory
// stays open for what is in it.
func (e *Editor) accept() bool {
	o := e.offer
	if !o.open() {
		return false
	}
	text := clean(o.choices[max(o.pick, 1)-1].Text)
	if !strings.HasSuffix(text, "/") {
		text += " "
	}
	e.change(func() {
		e.text, e.at = e.text[:o.from]+text+e.text[e.at:], o.from+len(text)
		e.settle()
	})
	e.complete()
	return true
}
