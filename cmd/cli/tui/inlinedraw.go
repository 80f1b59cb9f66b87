package tui

import (
	"fmt"
	"strings"
	"time"

	"golem/cmd/cli/columns"
	"golem/core/fault"
	"golem/core/run"
	"golem/core/ui"
	"golem/core/ui/view"
)

// lines returns what the terminal shows while the run goes on: the end of the root's
// text, the tree if there is more than one worker, and a line that says what golem
// waits for.
func (n *Inline) lines(width, height int) []string {
	width--
	most := max(height/2, 2)
	var out []string
	for _, l := range n.saying(width-2, min(4, most-1)) {
		out = append(out, "  "+l)
	}
	if all := nodes(&n.state); len(all) > 1 {
		out = append(out, n.tree(all, width, max(most-len(out)-1, 1))...)
	}
	if n.notes.last != "" {
		out = append(out, paint(n.Color, dim, cut(n.notes.last, width)))
	}
	if n.notes.ending != "" {
		out = append(out, paint(n.Color, yellow, cut(n.notes.ending, width)))
	}
	out = append(out, n.last(width))
	out = out[max(len(out)-height+1, 0):]
	for i := range out {
		out[i] = cut(out[i], width)
	}
	return out
}

// saying returns the end of the text that the root is writing, in at most room lines.
func (n *Inline) saying(width, room int) []string {
	for i := len(n.state.Items) - 1; i >= 0; i-- {
		it := n.state.Items[i]
		if it.Kind != view.Golem {
			continue
		}
		text := it.Text()
		if it.Over || strings.TrimSpace(text) == "" {
			return nil
		}
		if most := 4 * width * room; len(text) > most {
			text = strings.ToValidUTF8(text[len(text)-most:], "")
		}
		all := wrap(clean(strings.TrimSpace(text)), width)
		return all[max(len(all)-room, 0):]
	}
	return nil
}

// tree returns the workers in at most room lines. If there are more, the workers that
// have ended are left out first.
func (n *Inline) tree(all []node, width, room int) []string {
	left, surplus := 0, len(all)-room+1
	if len(all) <= room {
		surplus = 0
	}
	kept := make([]node, 0, room)
	for i, one := range all {
		if i > 0 && left < surplus && one.call.Over() {
			left++
			continue
		}
		kept = append(kept, one)
	}
	all = kept
	more := 0
	if len(all) > room-1 && left > 0 || len(all) > room {
		more = max(len(all)-max(room-1, 1), 0)
		all = all[:len(all)-more]
	}
	var p panel
	out := make([]string, 0, room)
	for _, one := range all {
		out = append(out, p.row(one, &n.state, n.now(), width, n.Color))
	}
	var rest []string
	if more > 0 {
		rest = append(rest, fmt.Sprintf("%d more", more))
	}
	if left > 0 {
		rest = append(rest, fmt.Sprintf("%d ended", left))
	}
	if len(rest) > 0 {
		out = append(out, paint(n.Color, dim, cut("    … "+strings.Join(rest, ", "), width)))
	}
	return out
}

// last returns the last line: what golem waits for, and what the run has used up to
// now.
func (n *Inline) last(width int) string {
	now := n.now()
	left := spinner[n.beats%len(spinner)] + " " + waitsFor(&n.state, now, width-2)
	parts := append(n.counts(), tokens(n.state.Usage), n.state.Usage.CostText(), ui.Seconds(now.Sub(n.begun)))
	if s := n.state.Staged(); s > 0 {
		parts = append([]string{fmt.Sprintf("%d staged", s)}, parts...)
	}
	parts = filled(parts)
	for len(parts) > 1 && columns.Of(left)+columns.Of(strings.Join(parts, " · "))+2 > width {
		parts = parts[1:]
	}
	right := strings.Join(parts, " · ")
	if columns.Of(left)+columns.Of(right)+2 > width { // what golem waits for is more important than the totals
		right = ""
	}
	room := width - columns.Of(right)
	if right != "" {
		room -= 2
		right = "  " + right
	}
	return paint(n.Color, dim, pad(left, room)+right)
}

// counts returns the number of workers, if there is more than one, and of calls, as
// texts.
func (n *Inline) counts() []string {
	workers, calls := n.state.Counts()
	var out []string
	if workers > 1 {
		out = append(out, fault.Count(workers, "worker"))
	}
	if calls > 0 {
		out = append(out, fault.Count(calls, "call"))
	}
	return out
}

// summary returns the line at the end of the run.
func (n *Inline) summary(res run.Result) string {
	sign, style, what := "✓", green, "done"
	switch res.Status {
	case run.Failed:
		sign, style, what = "✗", red, "failed"
	case run.Interrupted:
		sign, style, what = "○", yellow, "stopped"
	}
	used := res.Spent()
	parts := []string{what + " in " + ui.Seconds(n.now().Sub(n.begun))}
	parts = append(parts, n.counts()...)
	if denied := len(res.Denied) + len(res.Declined); denied > 0 {
		parts = append(parts, fmt.Sprintf("%d denied", denied))
	}
	parts = append(parts, tokens(used), used.CostText())
	return paint(n.Color, style, sign) + " " + paint(n.Color, dim, strings.Join(filled(parts), " · "))
}

func filled(parts []string) []string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return out
}

// waitsFor returns what golem waits for, in at most room columns, with its time.
func waitsFor(s *view.State, now time.Time, room int) string {
	what, since := "working", s.Begun
	busy := s.Busy()
	switch {
	case len(busy) == 1:
		c := busy[0]
		since = c.Begun
		switch {
		case c.Run.Thinking && c.ID == "0":
			what, since = "waiting for "+line(c.Run.Model), s.Begun
		case c.Run.Thinking:
			what = line(c.Name + " thinks")
		default:
			what = callText(c, 40)
		}
	case len(busy) > 1:
		what = fmt.Sprintf("%d at work", len(busy))
	}
	took := " " + ui.Seconds(now.Sub(since))
	return cut(what, max(room-columns.Of(took), 1)) + took
}
