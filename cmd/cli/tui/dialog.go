package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/ui"
)

// dialog is a question on the screen. The default answer is never yes: Enter alone
// gives the marked answer, which is no until the person moves the mark. Keys count only
// once the dialog is armed, a moment after it was drawn, so that text typed for the
// editor does not answer it (SECURITY 9). A key that is no answer shows that the person
// may still be typing such text, so the dialog waits again.
type dialog struct {
	asked
	choices []ui.Choice
	mark    int
	armed   bool
	quiet   int // the number of the current wait; each key begins another one
	whole   bool
	top     int
	text    *simple // the typed answer, or the reason for a no
	sure    bool    // the rule of Keep is shown, and y saves it

	lines []string // the question's lines, wrapped for width
	width int
	room  int // how many of them are visible
}

func newDialog(a asked) *dialog {
	d := &dialog{asked: a}
	for _, c := range ui.Choices(a.Request) {
		d.choices = append(d.choices, c)
		if c.Answer != approval.No {
			continue
		}
		d.mark = len(d.choices) - 1
		if a.Kind == approval.KindTool {
			d.choices = append(d.choices, ui.Choice{Answer: approval.No, Key: reasonKey, Means: "no, and tell the model why"})
		}
	}
	if a.Kind == approval.KindInput {
		d.text = &simple{}
	}
	return d
}

// reasonKey is the key of the answer "no, with a reason".
const reasonKey = "t"

// key handles a key. It returns true, with the decision, if the key answers the
// question.
func (d *dialog) key(name, text string) (approval.Decision, bool) {
	none := approval.Decision{}
	switch {
	case d.scroll(name):
		return none, false
	case d.text != nil:
		return d.typed(name, text)
	case d.sure:
		switch name {
		case "y":
			return approval.Decision{ID: d.ID, Answer: approval.Keep}, true
		case "n", "esc", "enter":
			d.sure, d.lines = false, nil
		default:
			d.armed = false
		}
		return none, false
	}
	switch name {
	case "down", "tab", "right":
		d.mark = (d.mark + 1) % len(d.choices)
	case "up", "shift+tab", "left":
		d.mark = (d.mark + len(d.choices) - 1) % len(d.choices)
	case "v":
		d.whole, d.lines = !d.whole, nil
	case "enter":
		return d.choose(d.choices[d.mark])
	case "esc":
		return approval.Decision{ID: d.ID, Answer: approval.No}, true
	default:
		for _, c := range d.choices {
			if strings.EqualFold(c.Key, text) {
				return d.choose(c)
			}
		}
		d.armed = false
	}
	return none, false
}

// early handles a key before the dialog is armed; it can only scroll. It reports
// whether the wait begins again, which every key causes that could be part of typed
// text.
func (d *dialog) early(name, text string) bool { return !d.scroll(name) || text != "" }

func (d *dialog) choose(c ui.Choice) (approval.Decision, bool) {
	switch {
	case c.Key == reasonKey:
		d.text = &simple{}
		return approval.Decision{}, false
	case c.Answer == approval.Keep:
		d.sure, d.lines, d.top = true, nil, 0
		return approval.Decision{}, false
	}
	return approval.Decision{ID: d.ID, Answer: c.Answer}, true
}

// typed handles a key in the line that the person writes: an answer, or a reason.
func (d *dialog) typed(name, text string) (approval.Decision, bool) {
	input := d.Kind == approval.KindInput
	switch name {
	case "esc":
		if input {
			return approval.Decision{ID: d.ID, Answer: approval.No}, true
		}
		d.text = nil
	case "enter":
		written := strings.TrimSpace(d.text.Text())
		switch {
		case !input:
			return approval.Decision{ID: d.ID, Answer: approval.No, Reason: written}, true
		case written == "":
			return approval.Decision{ID: d.ID, Answer: approval.No}, true
		}
		return approval.Decision{ID: d.ID, Answer: approval.Yes, Text: d.text.Text()}, true
	default:
		d.text.Key(name, text)
	}
	return approval.Decision{}, false
}

// scroll scrolls the question's lines, and reports whether the key scrolls.
func (d *dialog) scroll(name string) bool {
	step := 0
	switch name {
	case "pgup", "ctrl+b":
		step = -max(d.room-1, 1)
	case "pgdown", "ctrl+f", "space":
		if d.text != nil && name == "space" {
			return false
		}
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
	d.top = min(max(d.top+step, 0), max(len(d.lines)-d.room, 0))
	return true
}

// view returns the dialog in at most height lines, and the cursor's place in them. If a
// text is being written, its line is the last one; otherwise x and y are -1.
func (d *dialog) view(width, height int, color bool) (out []string, x, y int) {
	if d.lines == nil || d.width != width {
		d.width = width
		if d.sure {
			d.lines = ui.RuleLines(d.Lasting, width, color)
		} else {
			d.lines = ui.RequestLines(d.Request, width, color, d.whole)
		}
		d.lines = uncut(d.lines, width)
	}
	foot, hint := d.foot(width, height, color)
	x, y = -1, -1
	if d.armed && d.text != nil {
		lines, cx, cy := d.text.View(width-2, 3, color)
		for i, l := range lines {
			foot = append(foot, map[bool]string{true: "> ", false: "  "}[i == 0]+l)
		}
		x, y = cx+2, cy-len(lines)
	}
	d.room = min(len(d.lines), max(height-len(foot)-2, 1))
	d.top = min(d.top, len(d.lines)-d.room)
	out = append(out, rule(width, color, yellow, d.title(), ""))
	out = append(out, d.lines[d.top:d.top+d.room]...)
	more := ""
	if rest := len(d.lines) - d.top - d.room; rest > 0 {
		more = fault.Count(rest, "more line") + ": PgDn"
		if columns(more)+4 > width {
			more = fmt.Sprintf("+%d PgDn", rest)
		}
	} else if d.top > 0 {
		more = "PgUp"
	}
	out = append(out, rule(width, color, yellow, more, hint))
	out = append(out, foot...)
	if y < 0 && x >= 0 {
		y += len(out)
	}
	return out, x, y
}

// uncut returns the lines of a question so that none of them loses its end at the edge
// of the screen. Terminals measure some characters differently: a line that may be too
// wide is broken again, and loses its colours.
func uncut(lines []string, width int) (out []string) {
	for _, l := range lines {
		if max(ansi.StringWidth(l), ansi.StringWidthWc(l)) <= width {
			out = append(out, l)
		} else {
			out = append(out, ui.Marked(ansi.Strip(l), width)...)
		}
	}
	return out
}

func (d *dialog) title() string {
	switch {
	case d.sure:
		return "Save this rule and run the call?"
	case d.Kind == approval.KindInput:
		return "Question"
	case d.Kind == approval.KindTrust:
		return "Trust"
	}
	return "[Approval Required]"
}

// leastRows is how many lines must remain for the question below a list of all answers.
const leastRows = 8

const nextKey = "Tab: next"

// foot returns the lines with the answers and what each covers. hint is a text that has
// no room there; the caller puts it into the line above.
func (d *dialog) foot(width, height int, color bool) (lines []string, hint string) {
	switch {
	case !d.armed:
		return dimmed("One moment: what was typed before does not answer.", width, color), ""
	case d.sure:
		return []string{cut("[y] save it and run the call", width), cut("[n] back to the question", width)}, ""
	case d.text != nil && d.Kind == approval.KindInput:
		return dimmed("Enter sends it. Empty, or Esc: no answer.", width, color), ""
	case d.text != nil:
		return dimmed("Why not? The model reads it. Esc: back.", width, color), ""
	}
	return d.answers(width, height, color)
}

// dimmed returns a dim text in as many lines as it needs.
func dimmed(text string, width int, color bool) []string {
	out := wrap(text, width)
	for i := range out {
		out[i] = paint(color, dim, out[i])
	}
	return out
}

// answers returns the list of answers, each with its scope. If the list would leave too
// little room, it returns only the keys and the scope of the marked answer.
func (d *dialog) answers(width, height int, color bool) (lines []string, hint string) {
	var list []string
	for i, c := range d.choices {
		for j, l := range wrap(line(c.Means), width-6) {
			lead := "      "
			if j == 0 {
				lead = "  [" + c.Key + "] "
				if i == d.mark {
					lead = "> [" + c.Key + "] "
				}
			}
			if i == d.mark {
				list = append(list, paint(color, bold, lead+l))
			} else {
				list = append(list, lead+l)
			}
		}
	}
	if height-len(list)-3 >= min(leastRows, len(d.lines)) {
		keys := []string{"Enter takes the marked answer.", "Esc: no."}
		if d.Kind == approval.KindTool {
			keys = append(keys, "v: all of it.")
		}
		return append(list, paint(color, dim, fitting(keys, " ", width))), ""
	}
	keys := make([]string, len(d.choices))
	for i, c := range d.choices {
		keys[i] = "[" + c.Key + "]"
		if i == d.mark {
			keys[i] = ">" + keys[i]
		}
	}
	out := []string{fitting(keys, " ", width)}
	more := "  " + nextKey
	if d.Kind == approval.KindTool {
		more += ", v: all"
	}
	if columns(out[0])+len(more) <= width {
		out[0] += more
	} else {
		hint = nextKey
	}
	for _, l := range wrap(line(d.choices[d.mark].Means), width-2) {
		out = append(out, "  "+paint(color, bold, l))
	}
	return out, hint
}

// rule returns a line across the screen with a title in it, and another text at its
// end.
func rule(width int, color bool, style, title, end string) string {
	if end != "" {
		end = " " + end + " "
	}
	if columns(end)+12 > width {
		end = ""
	}
	if title != "" {
		title = " " + cut(title, width-4-columns(end)) + " "
	}
	left := paint(color, style, "──") + title
	fill := max(width-2-columns(title)-columns(end), 0)
	return left + paint(color, style, strings.Repeat("─", fill)) + end
}
