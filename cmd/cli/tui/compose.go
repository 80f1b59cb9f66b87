package tui

import (
	"io"
	"os"

	tea "charm.land/bubbletea/v2"

	"golem/core/fault"
	"golem/core/ui/view"
)

// Command is a program that gets the terminal for a while, such as the person's editor.
type Command interface {
	Run() error
	SetStdin(io.Reader)
	SetStdout(io.Writer)
	SetStderr(io.Writer)
}

// direct gives a command the terminal's own file: from another reader exec.Cmd
// copies, and waits for its end.
type direct struct {
	Command
	in *os.File
}

// SetStdin ignores the reader.
func (d direct) SetStdin(io.Reader) { d.Command.SetStdin(d.in) }

// composed is what the person wrote elsewhere.
type composed struct {
	text string
	err  error
}

// compose gives the terminal to the person's own editor.
func (m *model) compose() tea.Cmd {
	cmd, done, err := m.o.Compose(m.editor.Text())
	if err != nil {
		m.told(err)
		return nil
	}
	return tea.Exec(direct{cmd, m.o.In}, func(err error) tea.Msg {
		text, rerr := done()
		if err == nil {
			err = rerr
		}
		return composed{text, err}
	})
}

// take puts what was written elsewhere into the editor. After an error, what was there
// stays.
func (m *model) take(c composed) {
	if c.err != nil {
		m.told(fault.New(fault.Config, "the editor failed: %s", c.err).Hinting("VISUAL or EDITOR names it"))
		return
	}
	m.editor.SetText(c.text)
}

func (m *model) told(err error) {
	m.state.Act(view.Action{Do: view.Told, ID: "warn", Text: err.Error()})
}
