package tui

import (
	"slices"
	"strings"
	"time"

	"golem/core/approval"
	"golem/core/ui"
)

// dialog is a question on the screen. Text that the person types for something else never
// answers it, whatever its rhythm (SECURITY 9): a letter only marks an answer, and
// another key that types text takes the mark back. Enter gives the marked answer, which
// is no until the person marks another one. An answer that approves counts only once the
// end of the question was on the screen.
type dialog struct {
	asked
	keyboard
	choices []ui.Choice // no and yes first
	few     int         // how many of choices are listed until the person opens the list; 0: all
	offered []ui.Choice // choices, while the rule of Keep is shown in their place
	mark    int
	marked  bool // the person marked an answer
	whole   bool
	top     int
	text    *simple // the typed answer, or the reason for a no
	sure    bool    // the rule of Keep is shown, and has to be confirmed
	seen    bool    // the end of the question was on the screen, with nothing left out
	ruled   bool    // the same of the rule of Keep
	refused bool    // an answer was refused, because the end was not on the screen yet

	lines    []string // the question's lines, wrapped for width
	complete bool     // lines leave nothing out
	width    int
	room     int // how many of them are visible
}

// newDialog returns a question. beside says that an editor shares its keyboard.
func newDialog(a asked, beside bool, now func() time.Time) *dialog {
	d := &dialog{asked: a, keyboard: keyboard{now: now}}
	d.state, d.wait = early, quietFor
	if d.shared = beside; beside {
		d.state, d.wait = away, 0
	}
	d.choices, d.few = answers(a.Request)
	if a.Kind == approval.KindInput {
		d.text = &simple{}
	}
	return d
}

// answers returns the answers that a question offers: no and yes first, as in the page.
// few is how many of them are listed at first; 0: all of them.
func answers(r approval.Request) (all []ui.Choice, few int) {
	offered := ui.Choices(r)
	for _, first := range []approval.Answer{approval.No, approval.Yes} {
		for _, c := range offered {
			if c.Answer == first {
				all = append(all, c)
			}
		}
	}
	few = len(all)
	if r.Kind == approval.KindTool {
		all = append(all, ui.Choice{Answer: approval.No, Key: reasonKey, Means: "no, and tell the model why"})
	}
	for _, c := range offered {
		if c.Answer != approval.No && c.Answer != approval.Yes {
			all = append(all, c)
		}
	}
	if len(all)-few < 2 {
		few = 0
	}
	return all, few
}

// reasonKey is the key of the answer "no, with a reason".
const reasonKey = "t"

// outcome is what a key, or a moment without one, did to a question.
type outcome struct {
	done     bool // the question is answered
	decision approval.Decision
	left     bool   // the question gave the keyboard back to the editor
	typed    string // what belongs to the editor then
}

// press handles a key while the editor does not have the keyboard. draft says that the
// editor has text.
func (d *dialog) press(name, text string, draft bool) outcome {
	if d.state == away {
		return outcome{}
	}
	burst := d.tooFast()
	if d.scroll(name) {
		return outcome{}
	}
	switch d.state {
	case early, typing:
		switch {
		case name == "esc":
			d.giveToQuestion()
		case d.state == early && !d.answers(name, text):
			d.state, d.wait = typing, 0
		}
		return outcome{}
	case calm:
		switch {
		case name == "tab":
			d.giveToQuestion()
			return outcome{}
		case d.text != nil && name != "esc", movesMark(name) != 0:
			return d.leave(text)
		}
	}
	if d.text != nil {
		return d.write(name, text)
	}
	switch name {
	case "esc":
		if d.sure {
			d.leaveRule()
			return outcome{}
		}
		return d.refusal("")
	case "enter":
		switch {
		case burst, draft && !d.marked:
			return d.leave("")
		}
		return d.give(d.choices[d.mark])
	case "backspace":
		d.unmark()
		d.letters = ""
		return outcome{}
	case "tab":
		if d.shared {
			d.letters = ""
			return d.leave("")
		}
	}
	if by := movesMark(name); by != 0 {
		d.selectAnswer((d.mark + by + len(d.choices)) % len(d.choices))
		d.letters, d.wait = "", 0
		return outcome{}
	}
	return d.letter(text, burst, draft)
}

// answers reports whether a key that came too early can be an answer, and is not a part of
// other text: then it only begins the wait anew.
func (d *dialog) answers(name, text string) bool {
	if text == "" || name == "enter" {
		return true
	}
	if d.text != nil || d.letters != "" && d.letters != text {
		return false
	}
	d.letters = text
	return slices.ContainsFunc(d.choices, func(c ui.Choice) bool { return strings.EqualFold(c.Key, text) })
}

// movesMark returns by how many answers a key moves the mark; 0 for any other key.
func movesMark(name string) int {
	switch name {
	case "down", "right", "tab":
		return 1
	case "up", "left", "shift+tab":
		return -1
	}
	return 0
}

// selectAnswer marks an answer, and opens the list of all answers if this one is not listed yet.
func (d *dialog) selectAnswer(i int) {
	d.mark, d.marked = i, true
	if i >= d.few {
		d.few = 0
	}
}

// letter handles a key that types text: the letter of an answer marks it.
func (d *dialog) letter(text string, burst, draft bool) outcome {
	if burst || d.letters != "" && d.letters != viewKey {
		return d.leave(text)
	}
	if !d.sure && d.Kind == approval.KindTool && text == viewKey {
		d.whole, d.lines, d.letters = !d.whole, nil, viewKey
		return outcome{}
	}
	for i, c := range d.choices {
		if !strings.EqualFold(c.Key, text) {
			continue
		}
		d.selectAnswer(i)
		d.letters += text
		if d.state == owned && !draft && !d.lasts(c) {
			d.wait = aloneFor
		}
		return outcome{}
	}
	return d.leave(text)
}

// viewKey is the key that shows all of a question.
const viewKey = "v"

// lasts reports whether an answer holds for longer than this call, or begins something:
// then it needs Enter.
func (d *dialog) lasts(c ui.Choice) bool {
	return d.Kind == approval.KindTrust || d.sure || c.Key == reasonKey || c.Answer != approval.Yes && c.Answer != approval.No
}

// elapsed handles the end of the current wait.
func (d *dialog) elapsed() outcome {
	d.wait = 0
	switch {
	case d.state == early:
		d.state, d.letters = calm, ""
	case d.state == owned && d.marked && d.letters != "" && d.text == nil:
		return d.give(d.choices[d.mark])
	}
	return outcome{}
}

// leave handles text that is no answer: it and the letters before it belong to the
// editor, which gets the keyboard back. Without an editor, keys do not count until Esc.
func (d *dialog) leave(text string) outcome {
	if d.sure {
		d.leaveRule()
	}
	typed := d.letters + text
	d.unmark()
	d.letters, d.wait = "", 0
	if d.shared {
		d.state = away
		return outcome{left: true, typed: typed}
	}
	d.state = typing
	return outcome{}
}

// unmark moves the mark back to no.
func (d *dialog) unmark() {
	d.marked = false
	for i, c := range d.choices {
		if c.Answer == approval.No && c.Key != reasonKey {
			d.mark = i
		}
	}
}

func (d *dialog) refusal(reason string) outcome {
	return outcome{done: true, decision: approval.Decision{ID: d.ID, Answer: approval.No, Reason: reason}}
}

// give gives an answer, or shows what has to come before it: the rest of the question,
// the rule that would be saved, or a line for a reason.
func (d *dialog) give(c ui.Choice) outcome {
	d.letters, d.wait = "", 0
	approves := c.Answer != approval.No && c.Answer != approval.Never
	switch {
	case d.sure && !approves:
		d.leaveRule()
	case approves && !d.seen, d.sure && !d.ruled:
		d.refused = true
	case c.Key == reasonKey:
		d.text = &simple{}
		d.giveToQuestion()
	case c.Answer == approval.Keep && !d.sure:
		d.sure, d.lines, d.top, d.offered = true, nil, 0, d.choices
		d.choices = []ui.Choice{{Answer: approval.No, Key: "n", Means: "back to the question"}, {Answer: approval.Keep, Key: "y", Means: "save it and run the call"}}
		d.unmark()
	default:
		return outcome{done: true, decision: approval.Decision{ID: d.ID, Answer: c.Answer}}
	}
	return outcome{}
}

// leaveRule leads from the rule back to the question.
func (d *dialog) leaveRule() {
	d.sure, d.lines, d.top, d.choices = false, nil, 0, d.offered
	d.refused, d.letters, d.wait = false, "", 0
	d.unmark()
}

// write handles a key in the line that the person writes: an answer, or a reason.
func (d *dialog) write(name, text string) outcome {
	input := d.Kind == approval.KindInput
	switch name {
	case "esc":
		if input {
			return d.refusal("")
		}
		d.text = nil
		d.unmark()
	case "tab":
		if d.shared {
			d.state = away
			return outcome{left: true}
		}
	case "enter":
		written := strings.TrimSpace(d.text.Text())
		switch {
		case !input:
			return d.refusal(written)
		case written == "":
			return d.refusal("")
		}
		return outcome{done: true, decision: approval.Decision{ID: d.ID, Answer: approval.Yes, Text: d.text.Text()}}
	default:
		d.text.Key(name, text)
	}
	return outcome{}
}

// paste handles text that was pasted. It never answers.
func (d *dialog) paste(text string) outcome {
	switch {
	case d.state == owned && d.text != nil:
		d.text.Paste(strings.Join(strings.Fields(text), " "))
		return outcome{}
	case d.state == away:
		return outcome{left: true, typed: text}
	}
	return d.leave(text)
}

// scroll scrolls the question's lines, and reports whether the key scrolls. Behind the
// end of a question that leaves something out, it shows all of it.
func (d *dialog) scroll(name string) bool {
	step := 0
	switch name {
	case "pgup", "ctrl+b":
		step = -max(d.room-1, 1)
	case "pgdown", "ctrl+f":
		step = max(d.room-1, 1)
	case "home":
		step = -len(d.lines)
	case "end":
		step = len(d.lines)
	case wheelUp:
		step = -3
	case wheelDown:
		step = 3
	default:
		return false
	}
	if step > 0 && !d.complete && d.top+d.room >= len(d.lines) {
		d.whole, d.lines = true, nil
		if name == "end" {
			d.layout(d.width, false)
			d.top = len(d.lines)
		}
		return true
	}
	d.top = min(max(d.top+step, 0), max(len(d.lines)-d.room, 0))
	return true
}
