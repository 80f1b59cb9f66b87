package editor

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// offer is the list of completions for the word before the cursor.
type offer struct {
	choices []Choice
	from    int    // where the word that they replace begins
	pick    int    // the chosen entry, counted from 1; 0: none is chosen
	shut    bool   // Esc closed the list; it stays closed while there are choices
	command string // what Offer wrote into the editor; Esc takes it back
}

// maxChoices is how many choices are offered, maxShown how many are seen at once.
const (
	maxChoices = 200
	maxShown   = 6
)

// complete computes the completions for the word before the cursor.
func (e *Editor) complete() {
	shut, command := e.offer.shut, e.offer.command
	from, choices := e.choices()
	if len(choices) == 0 {
		e.offer = offer{}
		return
	}
	if len(choices) == 1 && choices[0].Text == strings.TrimRight(e.text[from:e.at], " ") {
		choices = nil
	}
	e.offer = offer{choices: choices[:min(len(choices), maxChoices)], from: from, shut: shut, command: command}
}

// Offer replaces the text and offers its completions, the first one chosen. It reports
// whether there are some. Esc leaves the list, and then the editor is empty.
func (e *Editor) Offer(text string) bool {
	e.SetText(text)
	if e.complete(); e.offer.open() {
		e.offer.pick, e.offer.command = 1, e.text
	}
	return e.offer.open()
}

// choices returns the completions that fit the word before the cursor, and the offset
// where that word begins.
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
		if e.o.Values == nil {
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
		if name == clean(name) && !strings.ContainsFunc(name, unicode.IsSpace) { // with a space, the end of the name would be unknown
			out = append(out, Choice{Text: "@" + name})
		}
	}
	return from, out
}

func (o offer) open() bool { return len(o.choices) > 0 && !o.shut }

// offerKey handles a key that belongs to the list of completions. It returns false for
// any other key, and while no list is shown.
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
		if o.shut = true; o.command != "" && strings.HasPrefix(e.text, o.command) {
			e.SetText("")
		}
	case "enter":
		return o.pick > 0 && e.accept()
	default:
		return false
	}
	return true
}

// accept replaces the word by the chosen completion, or by the first one if none is
// chosen. It adds a space, unless the choice is only the beginning of a word: a directory,
// "openai:" or "seed=".
func (e *Editor) accept() bool {
	o := e.offer
	if !o.open() {
		return false
	}
	text := clean(o.choices[max(o.pick, 1)-1].Text)
	if !strings.ContainsAny(text[max(len(text)-1, 0):], "/:=") {
		text += " "
	}
	e.change(func() {
		e.text, e.at = e.text[:o.from]+text+e.text[e.at:], o.from+len(text)
		e.snapCursor()
	})
	e.complete()
	return true
}
