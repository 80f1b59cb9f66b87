package tui

import (
	"cmp"
	"strings"

	"golem/core/fault"
	"golem/core/ui"
)

// view draws the panel.
func (p *staged) view(width, height int, color bool) ([]string, int, int) {
	title := "staged changes"
	if p.store.Undo {
		title = "what runs changed"
	}
	out := []string{rule(width, color, dim, title, "Esc: back")}
	list := min(max(len(p.items), 1), max(height/4, 1))
	if len(p.items) == 0 {
		out = append(out, paint(color, dim, p.empty()))
	}
	first := min(max(p.mark-list+1, 0), max(len(p.items)-list, 0))
	for i := first; i < min(first+list, len(p.items)); i++ {
		lead := "  "
		if i == p.mark {
			lead = "> "
		}
		row := lead + p.row(p.items[i], width-2)
		if i == p.mark {
			row = paint(color, bold, row)
		}
		out = append(out, row)
	}
	p.wrap(width)
	foot := p.foot(width, color)
	p.room = max(height-len(out)-len(foot)-1, 1)
	p.top = min(p.top, max(len(p.rows)-p.room, 0))
	p.seen = p.seen || !p.busy && p.top+p.room >= len(p.rows)
	more := ""
	if rest := len(p.rows) - p.top - p.room; rest > 0 {
		more = fault.Count(rest, "more line") + ": PgDn"
	} else if p.top > 0 {
		more = "PgUp"
	}
	about := ""
	if len(p.items) > 0 {
		about = "change"
		if to := cmp.Or(p.target, p.items[p.mark].Target); to != "" {
			about += " in target " + line(to)
		}
	}
	out = append(out, rule(width, color, dim, about, more))
	for i := range p.room {
		if at := p.top + i; at < len(p.rows) {
			out = append(out, paint(color, p.styles[at], p.rows[at]))
		} else {
			out = append(out, "")
		}
	}
	return append(out, foot...), -1, -1
}

// wrap wraps the patch for the width of the screen.
func (p *staged) wrap(width int) {
	if p.rows != nil && p.width == width {
		return
	}
	p.width, p.rows, p.styles = width, []string{}, nil
	for _, l := range p.patch {
		for _, piece := range ui.Marked(l.Text, width) {
			p.rows, p.styles = append(p.rows, piece), append(p.styles, l.Role)
		}
	}
}

// foot returns the keys, or the question that confirms a decision.
func (p *staged) foot(width int, color bool) []string {
	out := []string{rule(width, color, dim, "", "")}
	if p.note != "" {
		for _, l := range wrap(line(p.note), width) {
			out = append(out, paint(color, yellow, l))
		}
	}
	var keys []string
	switch {
	case p.busy:
		keys = []string{"one moment"}
	case p.sure != nil:
		for _, l := range wrap(line("Really "+p.sure.does+"?"), width) {
			out = append(out, paint(color, bold, l))
		}
		keys = []string{"[y] yes", "any other key: no"}
	default:
		for _, c := range p.choices() {
			word, _, _ := strings.Cut(c.does, " ")
			if p.store.Undo {
				word = "undo"
				if strings.HasPrefix(c.does, "write") {
					word = "redo"
				}
			}
			keys = append(keys, "["+c.key+"] "+word)
		}
		if len(p.store.Targets) > 0 && !p.store.Undo {
			keys = append(keys, "[t] target")
		}
		if len(p.items) > 1 {
			keys = append(keys, "Up, Down: item")
		}
		keys = append(keys, "Esc: back")
	}
	return append(out, fitting(keys, "  ", width))
}
