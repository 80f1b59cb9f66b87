package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"golem/cmd/cli/columns"
	"golem/core/approval"
	"golem/core/fault"
	"golem/core/ui"
)

// layout wraps the question for a width.
func (d *dialog) layout(width int, color bool) {
	d.width = width
	if d.sure {
		d.lines, d.complete = ui.RuleLines(d.Lasting, width, color), true
	} else {
		d.lines, d.complete = ui.RequestView(d.Request, width, color, d.whole)
	}
	d.lines = uncut(d.lines, width)
}

// view returns the dialog in at most height lines, and the cursor's place in them. If a
// text is being written, its line is the last one; otherwise x and y are -1. It notes
// whether the end of the question is among the lines.
func (d *dialog) view(width, height int, color bool) (out []string, x, y int) {
	if d.lines == nil || d.width != width {
		d.layout(width, color)
	}
	foot, hint := d.foot(width, height, color)
	x, y = -1, -1
	if d.state == owned && d.text != nil {
		lines, cx, cy := d.text.View(width-2, 3, color)
		for i, l := range lines {
			foot = append(foot, map[bool]string{true: "> ", false: "  "}[i == 0]+l)
		}
		x, y = cx+2, cy-len(lines)
	}
	d.room = min(len(d.lines), max(height-len(foot)-2, 1))
	d.top = min(d.top, len(d.lines)-d.room)
	if d.complete && d.top+d.room == len(d.lines) && d.room+len(foot)+2 <= height {
		if d.seen, d.ruled = d.seen || !d.sure, d.ruled || d.sure; d.text == nil {
			foot, hint = d.foot(width, height, color)
		}
	}
	out = append(out, rule(width, color, yellow, d.title(), ""))
	out = append(out, d.lines[d.top:d.top+d.room]...)
	out = append(out, rule(width, color, yellow, d.moreBelow(width), hint))
	out = append(out, foot...)
	if y < 0 && x >= 0 {
		y += len(out)
	}
	return out, x, y
}

// moreBelow returns how many lines are below the visible ones, and the key that shows them.
func (d *dialog) moreBelow(width int) string {
	rest := len(d.lines) - d.top - d.room
	switch {
	case rest > 0:
		more := fault.Count(rest, "more line") + ": PgDn"
		if columns.Of(more)+4 > width {
			more = fmt.Sprintf("+%d PgDn", rest)
		}
		return more
	case !d.complete:
		return "more: PgDn"
	case d.top > 0:
		return "PgUp"
	}
	return ""
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
	case d.Kind == approval.KindInput, d.Kind == approval.KindResume:
		return "Question"
	case d.Kind == approval.KindTrust:
		return "Trust"
	}
	return "[Approval Required]"
}

// leastRows is how many lines must remain for the question below a list of all answers.
const leastRows = 8

const nextKey = "Down: next"

// foot returns the lines with the answers and what each covers, and who has the keyboard.
// hint is a text that has no room there; the caller puts it into the line above.
func (d *dialog) foot(width, height int, color bool) (lines []string, hint string) {
	style := dim
	if d.state != owned && d.state != calm || d.refused && !d.seen {
		style = yellow
	}
	where := d.keyboardHelp()
	if d.text != nil {
		for _, l := range wrap(strings.Join(where, " "), width) {
			lines = append(lines, paint(color, style, l))
		}
		return lines, ""
	}
	where[0] = cut(where[0], width)
	last := paint(color, style, fitting(where, " ", width))
	if list := d.list(width, color); height-len(list)-3 >= min(leastRows, len(d.lines)) {
		return append(list, last), ""
	}
	lines, hint = d.short(width, color)
	return append(lines, last), hint
}

// keyboardHelp says who has the keyboard, and what its keys do, the most important first.
func (d *dialog) keyboardHelp() []string {
	input := d.Kind == approval.KindInput
	var out []string
	switch {
	case d.state == away:
		out = []string{"Tab: answer this.", "Other keys write your message."}
	case d.state == early:
		out = []string{"Read it. Keys count 2 s after your last."}
	case d.state == typing:
		out = []string{"Press Esc, then answer.", "What you type answers nothing."}
	case input && d.state == calm:
		out = []string{"Tab: write the answer.", "Esc: no answer."}
	case input:
		out = []string{"Enter sends it. Empty, or Esc: no answer."}
	case d.text != nil:
		out = []string{"Why not? The model reads it. Esc: back."}
	case d.sure:
		out = []string{"Enter takes the marked answer.", "Esc: back."}
	case !d.seen:
		out = []string{"A yes counts only after the end: End.", "Esc: no."}
	case d.state == calm:
		out = []string{"A letter, then Enter, answers.", "Esc: no."}
	default:
		out = []string{"Enter takes the marked answer.", "Esc: no."}
	}
	if d.Kind == approval.KindTool && d.text == nil && !d.sure && (d.state == calm || d.state == owned) {
		out = append(out, "v: all of it.")
	}
	if d.shared && d.state == owned {
		out = append(out, "Tab: back to your message.")
	}
	return out
}

// otherAnswers is what the page calls the answers that are not listed at first.
const otherAnswers = "other answers…"

// listed returns the answers that are listed, and the keys of the other ones.
func (d *dialog) listed() (listed []ui.Choice, others []string) {
	if d.few == 0 {
		return d.choices, nil
	}
	for _, c := range d.choices[d.few:] {
		others = append(others, "["+c.Key+"]")
	}
	return d.choices[:d.few], others
}

// list returns the listed answers, each with its scope.
func (d *dialog) list(width int, color bool) (list []string) {
	listed, others := d.listed()
	for i, c := range listed {
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
	if len(others) > 0 {
		list = append(list, paint(color, dim, fitting(append([]string{"  " + otherAnswers}, others...), " ", width)))
	}
	return list
}

// short returns only the keys and the scope of the marked answer, for a small screen.
func (d *dialog) short(width int, color bool) (lines []string, hint string) {
	listed, others := d.listed()
	keys := make([]string, len(listed))
	for i, c := range listed {
		keys[i] = "[" + c.Key + "]"
		if i == d.mark {
			keys[i] = ">" + keys[i]
		}
	}
	if len(others) > 0 {
		keys = append(keys, otherAnswers)
	}
	out := []string{fitting(keys, " ", width)}
	if columns.Of(out[0])+2+len(nextKey) <= width {
		out[0] += "  " + nextKey
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
func rule(width int, color bool, style ui.Role, title, end string) string {
	if end != "" {
		end = " " + end + " "
	}
	if columns.Of(end)+12 > width {
		end = ""
	}
	if title != "" {
		title = " " + cut(title, width-4-columns.Of(end)) + " "
	}
	left := paint(color, style, "──") + title
	fill := max(width-2-columns.Of(title)-columns.Of(end), 0)
	return left + paint(color, style, strings.Repeat("─", fill)) + end
}
