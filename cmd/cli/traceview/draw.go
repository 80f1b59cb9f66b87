package traceview

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"golem/core/trace"
	"golem/core/ui"
	"golem/core/ui/report"
	"golem/core/ui/view"

	"golem/cmd/cli/columns"
)

// Lines returns the whole screen: at most as many lines and columns as Resize has set.
func (s *State) Lines() []string {
	out := []string{s.paint(ui.Strong, s.cut(trace.Visible(s.header.Entry+" · "+s.header.Run)+" · "+ended(s.root, " · ")+spent(s.root)))}
	body := s.list()
	if s.mode == reading {
		body = s.detail[min(s.line, len(s.detail)):min(s.line+s.room(), len(s.detail))]
	}
	out = append(out, body...)
	for len(out) < s.height-1 {
		out = append(out, "")
	}
	return append(out, s.foot())
}

func (s *State) foot() string {
	keys := map[mode]string{
		tree:    "q leave · Enter read · t times · / search · ↑↓ move · ←→ fold · n next",
		times:   "q leave · Enter read · t tree · / search · ↑↓ move · ←→ fold · n next",
		reading: "q leave · Esc back · / search · ↑↓ scroll · ←→ call before, after · n next",
	}[s.mode]
	if s.offers && s.mode != reading {
		keys = strings.Replace(keys, " · / search", " · m make a test · / search", 1)
	}
	text := keys
	for at := 0; at >= 0 && columns.Of(text) > s.width; text = keys[:max(at, 0)] {
		at = strings.LastIndex(text, " · ")
	}
	switch {
	case s.asking:
		text = "search: " + trace.Visible(s.query)
	case s.note != "":
		text = s.note
	}
	return s.paint(ui.Faint, s.cut(text))
}

// list draws the visible rows of the tree or of the times, with the chosen call among
// them.
func (s *State) list() []string {
	rows, room := s.rows(), s.room()
	s.at = min(s.at, len(rows)-1)
	s.top = max(min(s.top, s.at, len(rows)-room), s.at-room+1, 0)
	var out []string
	for i, r := range rows[s.top:min(s.top+room, len(rows))] {
		mark := "  "
		if len(r.n.Children) > 0 {
			if mark = "▾ "; s.folded[r.n.ID] {
				mark = "▸ "
			}
		}
		lead := strings.Repeat("  ", min(r.depth, s.width/6)) + mark
		name := trace.Visible(r.n.Called())
		if name == "" {
			name = "?"
		}
		line := lead + name + "  " + ended(r.n, "  ") + spent(r.n)
		if s.mode == times {
			line = s.bar(lead+name, r.n)
		}
		role, _ := report.Status(r.n)
		if role == ui.Good {
			role = ui.Body
		}
		chosen := s.top+i == s.at
		if chosen {
			role = reverse
		}
		gutter := " "
		if chosen && !s.color {
			gutter = ">"
		}
		line = s.paint(role, s.cut(gutter+line))
		out = append(out, line)
	}
	return out
}

// bar draws a bar that shows when a call ran within the time of the run.
func (s *State) bar(name string, n *view.Call) string {
	wide := min(max(s.width/3, 8), 32)
	name = columns.Cut(name, wide)
	name += strings.Repeat(" ", wide-columns.Of(name))
	room := s.width - wide - 11
	begun, ok := millisBetween(s.root.Started, n.Started)
	total, own := max(lasted(s.root), 1), lasted(n)
	if !ok || room < 4 {
		return name + " " + tookSoFar(n)
	}
	from := min(int(begun*int64(room)/total), room-1)
	long := min(max(int(own*int64(room)/total), 1), room-from)
	return name + strings.Repeat(" ", from) + strings.Repeat("█", long) + strings.Repeat(" ", room-from-long) + " " + tookSoFar(n)
}

// lasted returns how many milliseconds a call took. For a call without an end in the
// trace it returns the time up to the end of the last call below it.
func lasted(n *view.Call) int64 {
	out := n.MS
	if n.Outcome() == "" {
		n.Walk(func(c *view.Call) {
			if at, ok := millisBetween(n.Started, c.Started); ok {
				out = max(out, at+c.MS)
			}
		})
	}
	return out
}

// millisBetween returns how many milliseconds b is after a; false if a time cannot be parsed or
// b is earlier.
func millisBetween(a, b string) (int64, bool) {
	x, err := time.Parse(time.RFC3339Nano, a)
	y, err2 := time.Parse(time.RFC3339Nano, b)
	if err != nil || err2 != nil || y.Before(x) {
		return 0, false
	}
	return y.Sub(x).Milliseconds(), true
}

// read lays out the chosen call: its input, its prompt if that was kept, each turn with
// the calls that it made, and the output.
func (s *State) read() {
	rows := s.rows()
	s.at = min(s.at, len(rows)-1)
	n := rows[s.at].n
	s.detail = nil
	s.head(n.ID + " " + n.Called() + "  " + ended(n, "  ") + spent(n))
	if n.Run.Source != "" || n.Run.Model != "" {
		s.text("", strings.TrimSpace(n.Run.Source+"  "+n.Run.Model))
	}
	if a := n.Approval; a != nil {
		s.part("approval", joined(" · ", a.Decision, a.Setting, a.Source, a.Rule, a.Reason))
	}
	s.part("input", readable(n.Args))
	if s.prompts != nil {
		for _, m := range s.prompts(n.ID) {
			s.part("prompt, "+m.Role, m.Text)
		}
	}
	calls := n.Children
	for _, t := range n.Run.Turns {
		s.part(turnTitle(t), t.Text)
		for ; len(calls) > 0 && t.Calls > 0; t.Calls-- {
			s.call(calls[0])
			calls = calls[1:]
		}
	}
	if len(calls) > 0 {
		s.part("calls", "")
	}
	for _, c := range calls {
		s.call(c)
	}
	for _, note := range report.Notes(n) {
		s.part(note.Level, note.Text)
	}
	if n.Error != nil {
		s.part("error", n.Error.Error())
	}
	s.part("output", readable(n.Output))
	for _, p := range n.Parts {
		s.text("  ", p.String())
	}
	s.line = min(s.line, max(len(s.detail)-s.room(), 0))
}

// turnTitle returns the heading of a turn.
func turnTitle(t view.Turn) string {
	title := fmt.Sprintf("turn %d  %s  %s  %d in, %d out", t.Turn, t.Finish, duration(t.MS), t.Usage.In, t.Usage.Out)
	if t.Reasoning != nil {
		title += "  " + ui.Thought(t.Reasoning)
	}
	return title
}

func (s *State) call(n *view.Call) {
	s.text("  → ", ui.CallLine(n.Called(), n.Args)+"  "+ended(n, "  "))
}

func (s *State) head(text string) {
	s.detail = append(s.detail, s.paint(ui.Strong, s.cut(trace.Visible(text))))
}

// part adds a heading with a text below it. If the text is empty, it adds only the
// headings of turns and calls.
func (s *State) part(title, text string) {
	if text == "" && !strings.HasPrefix(title, "turn ") && title != "calls" {
		return
	}
	s.detail = append(s.detail, "", s.paint(ui.Info, s.cut(trace.Visible(title))))
	if text != "" {
		s.text("  ", text)
	}
}

// text adds a text, broken into lines that fit, at spaces where possible.
func (s *State) text(lead, text string) {
	room := max(s.width-columns.Of(lead), 4)
	for l := range strings.SplitSeq(strings.TrimSuffix(ui.Safe(text), "\n"), "\n") {
		l = strings.ReplaceAll(l, "\t", "    ")
		for _, piece := range strings.Split(unbound.Replace(ansi.Wrap(bound.Replace(l), room, "")), "\n") {
			s.detail = append(s.detail, s.cut(lead+piece))
			lead = strings.Repeat(" ", columns.Of(lead))
		}
	}
}

// bound and unbound keep the wrapping from breaking at a hyphen: a character of private
// use, which escaped text never contains, replaces the hyphen while the text is
// wrapped.
var bound, unbound = strings.NewReplacer("-", "\ue000"), strings.NewReplacer("\ue000", "-")

// joined joins the parts that are not empty.
func joined(between string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), between)
}

// ended returns how a call ended and how long it took, if that is known.
func ended(n *view.Call, between string) string {
	_, status := report.Status(n)
	return joined(between, status, tookSoFar(n))
}

// tookSoFar returns how long a call took; "" if it has no end in the trace and no call
// below it tells a time.
func tookSoFar(n *view.Call) string {
	ms := lasted(n)
	if n.Outcome() == "" && ms == 0 {
		return ""
	}
	return duration(ms)
}

// readable returns a JSON value for people: a string as its text, any other value
// indented.
func readable(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

func duration(ms int64) string {
	if d := time.Duration(max(ms, 0)) * time.Millisecond; d >= time.Second {
		return d.Round(10 * time.Millisecond).String()
	}
	return fmt.Sprintf("%dms", max(ms, 0))
}

func spent(n *view.Call) string {
	out := ""
	used := n.Used()
	if used.In+used.Out > 0 {
		out = fmt.Sprintf("  %d in, %d out", used.In, used.Out)
	}
	if cost := used.CostText(); cost != "" {
		out += "  " + cost
	}
	return out
}

func (s *State) cut(line string) string { return columns.Cut(line, s.width) }

// reverse is the role of the chosen row.
const reverse ui.Role = "7"

func (s *State) paint(role ui.Role, text string) string { return role.Paint(s.color, text) }
