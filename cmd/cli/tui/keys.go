package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"golem/core/ui/view"
)

// key handles a key. A dialog gets it first, then the program's own keys, then the
// editor.
func (m *model) key(name, text string) tea.Cmd {
	if name == "ctrl+c" && (m.dialog != nil || m.top() == nil) {
		return m.interrupt()
	}
	if name == "ctrl+z" {
		return tea.Suspend
	}
	m.leaving = false
	m.keyed++
	m.parting = m.parting && name == "ctrl+d"
	if m.dialog != nil {
		return m.dialogKey(name, text)
	}
	if m.top() != nil {
		return m.overlayKey(name, text)
	}
	if m.panel.focus && m.panel.key(name, &m.state) {
		return nil
	}
	if name == "ctrl+s" && m.o.Clearance != nil {
		return m.staged()
	}
	if m.own(name) {
		return nil
	}
	return m.editorKey(name, text)
}

// dialogKey handles a key while a question is on the screen. The editor below it has the
// keyboard until Tab, unless the editor completes a word with it.
func (m *model) dialogKey(name, text string) tea.Cmd {
	d := m.dialog
	if d.state != away {
		return m.did(d.press(name, text, m.drafted()))
	}
	if name == "pgup" || name == wheelUp || name == wheelDown || name == "pgdown" {
		d.scroll(name)
		return nil
	}
	if name == "tab" {
		used := false
		if !m.covered() {
			_, used = m.editor.Key(name, text)
		}
		if !used {
			d.tooFast()
			d.own()
		}
		return nil
	}
	if m.covered() { // what the keys are for is behind the question
		return nil
	}
	return m.editorKey(name, text)
}

// drafted reports whether the editor below a question has text.
func (m *model) drafted() bool { return m.editor.Text() != "" }

// covered reports whether a view is open behind the question, so that the question has no
// editor below it.
func (m *model) covered() bool { return m.top() != nil }

// did carries out what a key did to the question on the screen.
func (m *model) did(o outcome) tea.Cmd {
	switch {
	case o.done:
		return m.answer(o.decision)
	case o.left && o.typed != "" && !m.covered():
		m.editor.Paste(o.typed)
	}
	return m.dialog.timer()
}

// editorKey handles a key in the editor.
func (m *model) editorKey(name, text string) tea.Cmd {
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

// own handles the program's own keys, and reports whether the key is one.
func (m *model) own(name string) bool {
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
	case "ctrl+t":
		m.panel.turn(&m.state)
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
	if len(m.queued)+len(m.returned) > 0 && !m.parting {
		m.parting = true
		return
	}
	m.queued, m.returned, m.parting = nil, nil, false
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
	m.keyed, m.direct = 0, m.prompting
	m.following()
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if cmd, done := m.command(strings.TrimSpace(text)); done {
		return cmd
	}
	m.back = 0
	m.queued = append(m.queued, text)
	m.flush()
	return nil
}

// following empties the editor, or fills it with the next of the messages that a stop
// returned.
func (m *model) following() {
	next := ""
	if len(m.returned) > 0 {
		next, m.returned = m.returned[0], m.returned[1:]
	}
	m.editor.SetText(next)
}

// giveBack returns the queued messages to the editor, one by one, so that each stays a
// message or a command of its own.
func (m *model) giveBack() {
	if len(m.queued) == 0 {
		return
	}
	back := m.queued
	if text := m.editor.Text(); strings.TrimSpace(text) != "" {
		back = append(back, text)
	}
	m.returned, m.queued = append(back, m.returned...), nil
	m.following()
}

// interrupt handles Ctrl+C: the first one stops the exchange, and the chat goes on; the
// next one leaves the chat.
func (m *model) interrupt() tea.Cmd {
	running := m.state.Status == view.Running && !m.prompting
	switch {
	case running && !m.state.Stop && m.o.Stop != nil && !m.leaving:
		if !m.o.Stop() { // the exchange is beginning or ending: the first Ctrl+C never leaves
			m.leaving = true
			return nil
		}
		m.state.Act(view.Action{Do: view.Stopped})
		m.giveBack()
	case !running && m.editor.Text() != "":
		if e, is := m.editor.(interface{ Keep() }); is {
			e.Keep()
		}
		m.following()
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
	if m.dialog == nil && m.top() == nil {
		m.panel.click(y, &m.state)
	}
}
