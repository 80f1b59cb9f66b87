package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"golem/core/approval"
	"golem/core/ui"
	"golem/core/ui/view"
)

// key handles a key. A dialog gets it first, then the program's own keys, then the
// editor.
func (m *model) key(name, text string) tea.Cmd {
	if name == "ctrl+c" && (m.dialog != nil || m.overlays.top() == nil) {
		return m.interrupt()
	}
	if name == "ctrl+z" {
		return tea.Suspend
	}
	m.leaving = false
	m.out.keyed++
	m.parting = m.parting && name == "ctrl+d"
	if m.dialog != nil {
		return m.dialogKey(name, text)
	}
	if m.overlays.top() != nil {
		return m.overlayKey(name, text)
	}
	if m.panel.focus && m.panel.key(name, &m.state) {
		return nil
	}
	if messageKey(m, name) {
		return nil
	}
	if name == "ctrl+s" && m.o.Clearance != nil {
		return m.openStore("/clearance", m.o.Clearance)
	}
	if m.ownKey(name) {
		return nil
	}
	return m.editorKey(name, text)
}

// dialogKey handles a key while a question is on the screen. The editor below it has the
// keyboard until Tab, unless the editor completes a word with it.
func (m *model) dialogKey(name, text string) tea.Cmd {
	d := m.dialog
	if d.state != away {
		return m.applyOutcome(d.press(name, text, m.editor.Text() != ""))
	}
	if name == "pgup" || name == wheelUp || name == wheelDown || name == "pgdown" {
		d.scroll(name)
		return nil
	}
	if name == "tab" {
		used := false
		if m.overlays.top() == nil {
			_, used = m.editor.Key(name, text)
		}
		if !used {
			d.tooFast()
			d.giveToQuestion()
		}
		return nil
	}
	if m.overlays.top() != nil { // what the keys are for is behind the question
		return nil
	}
	return m.editorKey(name, text)
}

// applyOutcome carries out what a key did to the question on the screen.
func (m *model) applyOutcome(o outcome) tea.Cmd {
	switch {
	case o.done:
		return m.answer(o.decision)
	case o.left && o.typed != "" && m.overlays.top() == nil:
		m.editor.Paste(o.typed)
	}
	return m.dialog.timer()
}

// editorKey handles a key in the editor.
func (m *model) editorKey(name, text string) tea.Cmd {
	if (name == "end" || name == "home") && m.editor.Text() == "" && m.dialog == nil {
		m.ownKey("ctrl+" + name)
		return nil
	}
	send, used := m.editor.Key(name, text)
	switch {
	case send:
		return m.send()
	case used:
	case name == "ctrl+g" && m.o.Compose != nil:
		return m.compose()
	case name == "up":
		m.scroll(1)
	case name == "down":
		m.scroll(-1)
	case name == "ctrl+d" && m.editor.Text() == "":
		m.part()
	}
	return nil
}

// ownKey handles the program's own keys, and reports whether the key is one.
func (m *model) ownKey(name string) bool {
	page := max(m.body()-1, 1)
	switch name {
	case "pgup":
		m.scroll(page)
	case "pgdown":
		m.scroll(-page)
	case "ctrl+home":
		m.scroll(m.transcript.total)
	case "ctrl+end":
		m.back = 0
	case wheelUp:
		m.scroll(3)
	case wheelDown:
		m.scroll(-3)
	case "shift+tab":
		if m.o.Permit == nil {
			return false
		}
		m.permit(ui.NextPermission(m.state.Permission))
	case "ctrl+t":
		m.panel.switchMode(&m.state)
	case "ctrl+o":
		m.details = !m.details
	case "ctrl+d":
		if m.editor.Text() != "" {
			return false
		}
		m.part()
	default:
		return false
	}
	return true
}

// part leaves the chat. If messages were not sent yet, it only warns the first time.
func (m *model) part() {
	if m.out.unsent() > 0 && !m.parting {
		m.parting = true
		return
	}
	m.out.returned, m.parting = nil, false
	m.out.waiting.empty()
	m.end()
}

// end ends the input of the session, like the end of a file.
func (m *model) end() {
	if !m.closed {
		m.closed = true
		close(m.u.eof)
	}
}

// send sends the text in the editor: now, or when the current exchange is over.
// Commands that have a view of their own open it instead.
func (m *model) send() tea.Cmd {
	text := m.editor.Text()
	m.out.keyed, m.out.direct = 0, m.out.wanted
	m.out.refill(m.editor)
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if cmd, done := m.command(strings.TrimSpace(text)); done {
		return cmd
	}
	if c, err := ui.ParseCommand(text); err == nil && m.o.Permit != nil {
		switch c.Name {
		case ui.Ask, ui.Edits, ui.Plan:
			m.state.Act(view.Action{Do: view.Told, ID: command, Text: strings.TrimSpace(text)})
			m.permit(approval.Permission(c.Name))
			return nil
		}
	}
	m.back = 0
	m.out.waiting.add(text)
	m.flush()
	return nil
}

// permit sets what workers may do without asking, at once.
func (m *model) permit(p approval.Permission) {
	if err := m.o.Permit(p); err != nil {
		m.warn(err)
		return
	}
	m.state.Permission = p // the event says so, too, but waits while a question is open
	m.state.Act(view.Action{Do: view.Told, ID: "info", Text: ui.PermissionText(p)})
}

// interrupt handles Ctrl+C: the first one stops the exchange, and the chat goes on; the
// next one leaves the chat.
func (m *model) interrupt() tea.Cmd {
	running := m.state.Status == view.Running && !m.out.wanted
	switch {
	case running && !m.state.Stop && m.o.Stop != nil && !m.leaving:
		if !m.o.Stop() { // the exchange is beginning or ending: the first Ctrl+C never leaves
			m.leaving = true
			return nil
		}
		m.state.Act(view.Action{Do: view.Stopped})
		m.out.giveBack(m.editor)
	case !running && m.editor.Text() != "":
		if e, is := m.editor.(interface{ Keep() }); is {
			e.Keep()
		}
		m.out.refill(m.editor)
	case !running && !m.leaving && m.dialog == nil:
		m.leaving = true
	case m.o.Leave != nil:
		m.o.Leave()
	}
	return nil
}

// scroll scrolls the transcript by n lines, up if n is positive.
func (m *model) scroll(n int) { m.back = min(max(m.back+n, 0), max(m.transcript.total-m.body(), 0)) }

// click folds or unfolds the worker that was clicked.
func (m *model) click(_, y int) {
	if m.dialog == nil && m.overlays.top() == nil {
		m.panel.click(y, &m.state)
	}
}
