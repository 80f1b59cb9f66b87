package tui

import (
	"io"
	"os"

	tea "charm.land/bubbletea/v2"

	"golem/core/fault"
	"golem/core/ui/view"
)

// Command is a program that uses the terminal for a while, such as the person's editor.
type Command interface {
	Run() error
	SetStdin(io.Reader)
	SetStdout(io.Writer)
	SetStderr(io.Writer)
}

// elsewhere is a message that the person writes in their own editor. The bubbletea
// program ends before the editor begins, and a new one starts after it: with
// bubbletea's own way (tea.Exec), nothing may be drawn any more after a command that
// ends at once (github.com/charmbracelet/bubbletea/issues/1778).
type elsewhere struct {
	cmd  Command
	done func() (string, error)
}

// write runs the person's editor on the terminal and takes the text that was written.
func (e elsewhere) write(m *model) {
	e.cmd.SetStdin(m.o.In)
	e.cmd.SetStdout(m.o.Out)
	e.cmd.SetStderr(os.Stderr)
	err := e.cmd.Run()
	text, rerr := e.done()
	if err == nil {
		err = rerr
	}
	m.putWritten(text, err)
}

// compose ends the program, so that the person's own editor can use the terminal.
func (m *model) compose() tea.Cmd {
	cmd, done, err := m.o.Compose(m.editor.Text())
	if err != nil {
		m.warn(err)
		return nil
	}
	m.elsewhere = &elsewhere{cmd, done}
	return tea.Quit
}

// putWritten puts the text written in the person's own editor into the chat's editor. After
// an error the text there stays as it was.
func (m *model) putWritten(text string, err error) {
	if err != nil {
		m.warn(fault.New(fault.Config, "the editor failed: %s", err).Hinting("VISUAL or EDITOR names it"))
		return
	}
	m.editor.SetText(text)
}

func (m *model) warn(err error) {
	m.state.Act(view.Action{Do: view.Told, ID: "warn", Text: err.Error()})
}
