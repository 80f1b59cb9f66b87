package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"golem/cmd/cli/columns"
	"golem/core/approval"
	"golem/core/fault"
	"golem/core/ui"
	"golem/core/ui/view"
)

// most is how many lines the editor may take.
const most = 8

// body returns how many lines the transcript had when the screen was last drawn.
func (m *model) body() int { return m.transcript.room }

// View returns the screen. It draws it again only if something changed.
func (m *model) View() tea.View {
	if m.terminal.stale {
		m.terminal.stale = false
		m.terminal.drawn = m.draw()
	}
	return m.terminal.drawn
}

func (m *model) draw() tea.View {
	width, height := max(m.terminal.width, 8), max(m.terminal.height, 4)
	lines := []string{m.header(width)}
	if o := m.overlays.top(); o != nil && m.dialog == nil {
		var under []string
		ex, ey := -1, 0
		if m.overlays.editorHasKeyboard() {
			under, ex, ey = m.editorBelow(width, height-1)
		}
		room := max(height-1-len(under), 1)
		body, x, y := o.view(width, room, m.o.Color)
		body = body[:min(len(body), room)]
		if ex >= 0 {
			x, y = ex, len(body)+ey
		}
		return m.terminal.view(slices.Concat(lines, body, under), width, x, 1+y)
	}
	foot, x, y := m.foot(width, height-1)
	foot = foot[max(len(foot)-height+1, 0):]
	room := height - len(lines) - len(foot)
	before, last := m.transcript.total, m.transcript.placeOf(m.back)
	anew := m.transcript.update(&m.state, look{width: width, color: m.o.Color, details: m.details, now: m.o.now}, m.messages)
	m.transcript.room = room
	switch { // keep what is visible in place
	case m.back == 0 || before == 0:
	case anew:
		m.back = m.transcript.backTo(last)
	default:
		m.back += m.transcript.total - before
	}
	m.back = m.transcript.scrollToSought(&m.state, m.back)
	m.scroll(0)
	shown := m.transcript.lines(room, m.back)
	if !begun(m) {
		shown = append(welcome(width, room-len(shown), m.o.Color, len(shown) > 0), shown...)
	}
	for range room - len(shown) {
		lines = append(lines, "")
	}
	lines = append(lines, shown...)
	top := len(lines)
	m.panel.at = top
	lines = append(lines, foot...)
	if y < 0 || top+y >= height {
		x = -1
	}
	return m.terminal.view(lines, width, x, top+y)
}

// foot returns the lines below the transcript: the tree and the editor, or a question.
func (m *model) foot(width, height int) (lines []string, x, y int) {
	if m.dialog != nil {
		return m.question(width, height)
	}
	lines = m.panel.view(&m.state, m.o.now(), width, max(height/3, 3), m.o.Color)
	left, right := m.status()
	lines = append(lines, rule(width, m.o.Color, dim, left, right))
	for _, q := range m.out.waiting.all() {
		lines = append(lines, paint(m.o.Color, dim, cut("  next: "+line(q), width)))
	}
	for _, q := range m.out.returned {
		lines = append(lines, paint(m.o.Color, dim, cut("  not sent: "+line(q), width)))
	}
	at := len(lines)
	written, x, y := m.written(width, min(most, max(height/2, 1)))
	lines = append(lines, written...)
	if m.panel.focus || m.messages.mark > 0 {
		return lines, -1, -1
	}
	return lines, x, at + y
}

// written returns the editor in at most height lines, and the cursor's place in them.
func (m *model) written(width, height int) (lines []string, x, y int) {
	lines, x, y = m.editor.View(width-2, height, m.o.Color)
	for i := range lines {
		lead := "  "
		if i == 0 {
			lead = paint(m.o.Color, bold, "> ")
		}
		lines[i] = lead + lines[i]
	}
	return lines, x + 2, y
}

// question returns the lines of a question, and of the editor below it, which has the
// keyboard until the person gives it to the question.
func (m *model) question(width, height int) (lines []string, x, y int) {
	if m.overlays.top() != nil {
		return m.dialog.view(width, height, m.o.Color)
	}
	under, ex, ey := m.editorBelow(width, height)
	lines, x, y = m.dialog.view(width, height-len(under), m.o.Color)
	if m.dialog.state == away {
		x, y = ex, len(lines)+ey
	}
	return append(lines, under...), x, y
}

// editorBelow returns the editor below a question or a form, with a rule above it if there is
// room, and the cursor's place in them.
func (m *model) editorBelow(width, height int) (lines []string, x, y int) {
	lines, x, y = m.written(width, min(3, max(height/8, 1)))
	if height < 16 {
		return lines, x, y
	}
	left := leavingText(m)
	if n := len(m.out.waiting.all()); n > 0 && left == "" {
		left = fault.Count(n, "message") + " will be sent next"
	}
	return append([]string{rule(width, m.o.Color, dim, left, "")}, lines...), x, y + 1
}

var spinner = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// status returns the texts of the line above the editor: what goes on, and how far the
// transcript is scrolled up.
func (m *model) status() (left, right string) {
	left = leavingText(m)
	if left == "" && m.messages.mark > 0 {
		left = m.messages.hint(&m.state)
	}
	if left == "" {
		left = tryAgain(&m.state)
	}
	if left == "" && m.state.Status == view.Running {
		left = spinner[m.beats%len(spinner)] + " " + waitsFor(&m.state, m.o.now(), max(m.terminal.width, 8)-6)
	}
	if m.back > 0 {
		right = fault.Count(m.back, "line") + " below: Ctrl+End"
	}
	if n := 1 + strings.Count(m.editor.Text(), "\n"); n > most && right == "" {
		right = fault.Count(n, "line") + " to send"
	}
	if p := m.state.Permission; p == approval.Edits || p == approval.Plan {
		if right != "" {
			right += " · "
		}
		right += paint(m.o.Color, ui.PermissionRole(p), string(p))
	}
	return left, right
}

// leavingText says how the chat or the exchange is about to end; "" if it is not.
func leavingText(m *model) string {
	switch {
	case m.leaving:
		return "Ctrl+C again leaves the chat"
	case m.parting:
		return fault.Count(m.out.unsent(), "message") + " not sent; Ctrl+D again leaves"
	case m.closed && m.state.Status == view.Running:
		return "leaving after this answer; Ctrl+C stops it"
	case m.state.Stop:
		return "stopping; Ctrl+C again leaves the chat"
	}
	return ""
}

// header returns the first line: project, worker, model, mode, tokens, cost. On a
// narrow screen the least important parts are left out first.
func (m *model) header(width int) string {
	name := line(m.o.Project)
	if w := line(m.state.Worker); w != "" && w != name {
		name += " › " + w
	}
	var parts []string
	if used := tokens(m.state.Usage); used != "" {
		parts = append(parts, used)
	}
	if cost := m.state.Usage.CostText(); cost != "" {
		parts = append(parts, cost)
	}
	if m.state.Pending > 0 {
		parts = append(parts, fmt.Sprintf("[!] %d staged", m.state.Pending))
	}
	middle := []string{line(m.state.Model), cmp.Or(line(string(m.state.Permission)), line(m.o.Mode))}
	for {
		right := strings.Join(parts, " · ")
		left := name
		for _, p := range middle {
			if p != "" {
				left += " · " + p
			}
		}
		room := width - columns.Of(right)
		if right != "" {
			room -= 2
		}
		if columns.Of(left) > room && len(middle) > 0 {
			middle = middle[:len(middle)-1]
			continue
		}
		if columns.Of(left) > room && len(parts) > 1 {
			parts = parts[1:]
			continue
		}
		left = cut(left, max(room, 4))
		rest := strings.TrimPrefix(left, name)
		return paint(m.o.Color, bold, strings.TrimSuffix(left, rest)) + paint(m.o.Color, dim, rest+strings.Repeat(" ", max(width-columns.Of(left)-columns.Of(right), 0))+right)
	}
}
