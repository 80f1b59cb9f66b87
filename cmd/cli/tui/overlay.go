package tui

import (
	tea "charm.land/bubbletea/v2"

	"golem/core/ui"
	"golem/core/ui/view"
)

// overlay is a view that takes the screen below the header until the person leaves it.
// The conversation continues behind it; a question is shown in front of it.
type overlay interface {
	// key handles a key; done closes the overlay.
	key(name, text string) (cmd tea.Cmd, done bool)
	// view returns at most height lines, and the cursor's place in them, or -1.
	view(width, height int, color bool) (lines []string, x, y int)
}

// overlays are the open views, the last one on the screen.
type overlays []overlay

func (all *overlays) open(o overlay) { *all = append(*all, o) }

// top returns the overlay on the screen; nil if there is none.
func (all overlays) top() overlay {
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}

// editorHasKeyboard reports whether the editor has the keyboard although a form is on the screen: the
// form came while the person was writing.
func (all overlays) editorHasKeyboard() bool {
	f, is := all.top().(*form)
	return is && f.away
}

// close removes the overlay on the screen, and calls its closed method if it has one.
func (all *overlays) close() {
	o := all.top()
	*all = (*all)[:len(*all)-1]
	if c, ok := o.(interface{ closed() }); ok {
		c.closed()
	}
}

// then is a function that handles the result of work that took time. It runs in the
// program.
type then func(*model) tea.Cmd

// runOutside runs do outside the program, because it takes time, and posts the result like
// the messages of the session. So the result reaches the program that draws then, which
// is another one if the person's own editor used the terminal meanwhile.
func (u *UI) runOutside(do func() then) tea.Cmd {
	return func() tea.Msg {
		u.post(do())
		return nil
	}
}

// overlayKey handles a key while an overlay is on the screen.
func (m *model) overlayKey(name, text string) tea.Cmd {
	if m.overlays.editorHasKeyboard() && name != "ctrl+c" {
		if used := false; name == "tab" {
			if _, used = m.editor.Key(name, text); !used {
				m.overlays.top().(*form).away = false
			}
			return nil
		}
		return m.editorKey(name, text)
	}
	cmd, done := m.overlays.top().key(name, text)
	if done {
		m.overlays.close()
	}
	return cmd
}

// command opens the view of a command that has one. done is false if the session has to
// carry out the command.
func (m *model) command(text string) (cmd tea.Cmd, done bool) {
	switch {
	case text == "/clearance" && m.o.Clearance != nil:
		return m.openStore("/clearance", m.o.Clearance), true
	case (text == "/undo" || text == "/undo yes") && m.o.Undo != nil: // the view shows the change, and asks
		return m.openStore("/undo", m.o.Undo), true
	case text == "/help" || text == "/?":
		m.state.Act(view.Action{Do: view.Told, ID: command, Text: text})
		m.state.Act(view.Action{Do: view.Told, ID: "info", Text: ui.CommandHelp(true) + keyHelp})
		m.back = 0
		return nil, true
	case text == "/trace" && m.o.Trace != nil:
		return m.trace(), true
	case text == "/resume" || text == "/rewind":
		if offer(m, text) {
			return nil, true
		}
		m.editor.SetText("") // there is nothing to choose from: the session says so
	case text == "/model" && m.o.LookUp != nil:
		return lookUp(m, text), true
	}
	return nil, false
}

// offer puts a command into the editor and offers its arguments. It reports whether there
// are some.
func offer(m *model, command string) bool {
	e, is := m.editor.(interface{ Offer(text string) bool })
	return is && e.Offer(command+" ")
}

// lookUp offers the arguments of a command that have to be asked for first. If there are
// none, the session carries out the command; if the person writes something else by then,
// only Tab after the command offers them.
func lookUp(m *model, text string) tea.Cmd {
	m.state.Act(view.Action{Do: view.Told, ID: "info", Text: text + ": asking the providers"})
	return m.u.runOutside(func() then {
		found := m.o.LookUp(text)
		return func(m *model) tea.Cmd {
			switch {
			case !found:
				m.out.waiting.add(text)
				m.flush()
			case m.editor.Text() == "" && m.dialog == nil && m.overlays.top() == nil:
				offer(m, text)
			}
			return nil
		}
	})
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
	return m.u.runOutside(func() then {
		v, err := m.o.Trace()
		return func(m *model) tea.Cmd {
			if err != nil {
				m.warn(err)
			} else {
				m.overlays.open(viewing{v})
			}
			return nil
		}
	})
}
