package tui

import (
	tea "charm.land/bubbletea/v2"
)

// overlay is a view that takes the screen below the header until the person leaves it.
// The conversation continues behind it; a question is shown in front of it.
type overlay interface {
	// key handles a key; done closes the overlay.
	key(name, text string) (cmd tea.Cmd, done bool)
	// view returns at most height lines, and the cursor's place in them, or -1.
	view(width, height int, color bool) (lines []string, x, y int)
}

// then is a function that handles the result of work that took time. It runs in the
// program.
type then func(*model) tea.Cmd

// later runs do outside the program, because it takes time, and posts the result like
// the messages of the session. So the result reaches the program that draws then, which
// is another one if the person's own editor used the terminal meanwhile.
func (u *UI) later(do func() then) tea.Cmd {
	return func() tea.Msg {
		u.post(do())
		return nil
	}
}

func (m *model) open(o overlay) { m.overlays = append(m.overlays, o) }

// top returns the overlay on the screen; nil if there is none.
func (m *model) top() overlay {
	if len(m.overlays) == 0 {
		return nil
	}
	return m.overlays[len(m.overlays)-1]
}

// behind reports whether the editor has the keyboard although a form is on the screen: the
// form came while the person was writing.
func (m *model) behind() bool {
	f, is := m.top().(*form)
	return is && f.away
}

// overlayKey handles a key while an overlay is on the screen.
func (m *model) overlayKey(name, text string) tea.Cmd {
	if m.behind() && name != "ctrl+c" {
		if used := false; name == "tab" {
			if _, used = m.editor.Key(name, text); !used {
				m.top().(*form).away = false
			}
			return nil
		}
		return m.editorKey(name, text)
	}
	cmd, done := m.top().key(name, text)
	if done {
		m.closeOverlay()
	}
	return cmd
}

// closeOverlay removes the overlay, and calls its closed method if it has one.
func (m *model) closeOverlay() {
	o := m.top()
	m.overlays = m.overlays[:len(m.overlays)-1]
	if c, ok := o.(interface{ closed() }); ok {
		c.closed()
	}
}

// command opens the view of a command that has one. done is false if the session has to
// carry out the command.
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

// Viewer is a full view of something, such as a trace, that handles keys and returns
// its lines.
type Viewer interface {
	Resize(width, height int)
	Key(name, text string) (leave bool)
	Lines() []string
}

// viewing is a Viewer as an overlay of the chat.
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

// trace opens the viewer of the chat's trace up to now.
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
