package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"golem/core/fault"
	"golem/core/trace"
	"golem/core/ui/view"
)

// Forms are the forms of a message of the person that exists several times, because branches
// of the conversation begin before it.
type Forms struct {
	N     int      // the number of the message, from 1
	Index int      // which form this conversation has, from 0
	IDs   []string // for each form a conversation that has it
}

// messages is what the person does with messages that were sent before.
type messages struct {
	mark  int // the number of the marked message; 0: none, and the editor has the keyboard
	forms []Forms
}

// formsOf returns the forms of a message; with one form it has no others.
func (ms *messages) formsOf(n int) Forms {
	for _, f := range ms.forms {
		if f.N == n {
			return f
		}
	}
	return Forms{N: n, IDs: []string{""}}
}

// numbers returns the numbers of the messages on the screen, the first one first.
func numbers(s *view.State) (out []int) {
	for _, it := range s.Items {
		if it.N > 0 {
			out = append(out, it.N)
		}
	}
	return out
}

// step marks the message that is by steps further down; above the first one it stays, and
// below the last one the editor has the keyboard again.
func (ms *messages) step(s *view.State, by int) {
	all := numbers(s)
	at := slices.Index(all, ms.mark)
	if at < 0 {
		at = len(all)
	}
	if at = max(at+by, 0); at >= len(all) {
		ms.mark = 0
	} else {
		ms.mark = all[at]
	}
}

// messageKey handles a key that is about messages of the person; false for any other one,
// which the editor gets.
func messageKey(m *model, name string) bool {
	ms := &m.messages
	switch {
	case name == "alt+up" || ms.mark > 0 && name == "up":
		ms.step(&m.state, -1)
		m.transcript.seek = ms.mark
	case ms.mark > 0 && (name == "alt+down" || name == "down"):
		ms.step(&m.state, 1)
		m.transcript.seek = ms.mark
	case ms.mark == 0:
		return false
	case name == "esc" || name == "tab":
		ms.mark = 0
	case name == "e" || name == "enter":
		goBack(m, fmt.Sprintf("/rewind %d", ms.mark))
	case name == "a":
		goBack(m, fmt.Sprintf("/again %d", ms.mark))
	case name == "left" || name == "right":
		otherForm(m, name)
	default:
		if !slices.Contains([]string{"pgup", "pgdown", wheelUp, wheelDown, "ctrl+home", "ctrl+end", "ctrl+o"}, name) {
			ms.mark = 0
		}
		return false
	}
	return true
}

// goBack sends a command that goes back to before a message, or to another form of it.
func goBack(m *model, command string) {
	switch {
	case m.state.Status == view.Running:
		m.warn(fault.New(fault.Usage, "golem works on your last message").Hinting("wait for the answer, or stop it with Ctrl+C"))
	case m.editor.Text() != "" || m.out.unsent() > 0:
		m.warn(fault.New(fault.Usage, "the editor has a message that was not sent").Hinting("send it, or empty the editor with Ctrl+C: Up brings it back"))
	default:
		m.messages.mark, m.back = 0, 0
		m.out.waiting.add(command)
		m.flush()
	}
}

// otherForm goes to the conversation with the earlier or later form of the marked message.
func otherForm(m *model, name string) {
	f := m.messages.formsOf(m.messages.mark)
	to := f.Index + 1
	if name == "left" {
		to = f.Index - 1
	}
	if to < 0 || to >= len(f.IDs) {
		return
	}
	if m.o.Marked != nil {
		*m.o.Marked = f.N
	}
	goBack(m, "/resume "+f.IDs[to])
}

// readForms asks the host for the messages that exist in several forms.
func readForms(m *model) tea.Cmd {
	if m.o.Forms == nil {
		return nil
	}
	return m.u.runOutside(func() then {
		found := m.o.Forms()
		return func(m *model) tea.Cmd {
			m.messages.forms = found
			return nil
		}
	})
}

// hint says what the keys do with the marked message.
func (ms *messages) hint(s *view.State) string {
	text := fmt.Sprintf("message %d of %d: e edit, a answer again", ms.mark, s.Messages())
	if f := ms.formsOf(ms.mark); len(f.IDs) > 1 {
		text += ", ← → other forms"
	}
	return text + ", Esc back"
}

// stopped is how the line of an exchange that the person stopped begins.
const stopped = "stopped;"

// tryAgain says how to go on after an exchange that failed or was stopped; "" after others.
func tryAgain(s *view.State) string {
	n := len(s.Items)
	if s.Status != view.Waiting || n == 0 || numbers(s) == nil {
		return ""
	}
	last := s.Items[n-1]
	if b, failed := last.About.(trace.Error); failed && b.Code != fault.Usage || last.Kind == view.Notice && strings.HasPrefix(last.Text(), stopped) {
		return "/again tries again, Alt+Up edits the message"
	}
	return ""
}
