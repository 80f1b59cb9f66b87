package tui

import (
	tea "charm.land/bubbletea/v2"
)

// overlay has the screen below the header until the person leaves it. The conversation
// goes on behind it; a question comes before it.
type overlay interface {
	// key takes a key; done closes the overlay.
	key(name, text string) (cmd tea.Cmd, done bool)
	// view is at most height lines, with the cursor's place in them, or -1.
	view(width, height int, color bool) (lines []string, x, y int)
}

// then is what is to be done with the result of something that took time.
type then func(*model) tea.Cmd

// later does something that takes time beside the program. Its result is posted like what
// the session tells, so that it reaches the program that draws then: another one, if the
// person's own editor had the terminal meanwhile.
func (u *UI) later(do func() then) tea.Cmd {
	return func() tea.Msg {
		u.post(do())
		return nil
	}
}

// open puts an overlay on the screen.
func (m *model) open(o overlay) { m.overlays = append(m.overlays, o) }

// top is the overlay on the screen; nil: there is none.
func (m *model) top() overlay {
	if len(m.overlays) == 0 {
		return nil
	}
	return m.overlays[len(m.overlays)-1]
}

// overlayKey is a key while an overlay is on the screen.
func (m *model) overlayKey(name, text string) tea.Cmd {
	cmd, done := m.top().key(name, text)
	if done {
		m.closeOverlay()
	}
	return cmd
}

// closeOverlay takes the overlay away, and ends what waits for it.
func (m *model) closeOverlay() {
	o := m.top()
	m.overlays = m.overlays[:len(m.overlays)-1]
	if c, ok := o.(interface{ closed() }); ok {
		c.closed()
	}
}

// command carries out what the screen has a view for, in place of lines. false: the
// session does it.
func (m *model) command(text string) (cmd tea.Cmd, done bool) {
	switch {
	case text == "/clearance" && m.o.Clearance != nil:
		return m.staged(), true
	case text == "/undo" && m.o.Undo != nil:
		return m.undo(), true
	case text == "/trace" && m.o.Trace != nil:
		return m.trace(), true
	}
	return nil, false
}

// Viewer is a view of its own, such as that of a trace.
type Viewer interface {
	Resize(width, height int)
	Key(name, text string) (leave bool)
	Lines() []string
}

// viewing is a Viewer over the chat.
type viewing struct{ Viewer }

func (v viewing) key(name, text string) (tea.Cmd, bool) {
	switch name {
	case wheelUp:
		name = "up"
	case wheelDown:
		name = "down"
	}
	return nil, v.Key(name, text)
}

func (v viewing) view(width, height int, _ bool) ([]string, int, int) {
	v.Resize(width, height)
	return v.Lines(), -1, -1
}

// trace opens the viewer of the trace up to now.
func (m *model) trace() tea.Cmd {
	return m.u.later(func() then {
		v, err := m.o.Trace()
		return func(m *model) tea.Cmd {
			if err != nil {
				m.told(err)
			} else {
				m.open(viewing{v})
			}
			return nil
		}
	})
}
