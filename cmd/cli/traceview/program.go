package traceview

import (
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"golem/cmd/cli/idle"
)

// Run shows the viewer on the terminal in and out until the person leaves it. env is
// the environment that tells what the terminal can do.
func (s *State) Run(in, out *os.File, env []string) error {
	options := []tea.ProgramOption{tea.WithInput(in), tea.WithOutput(out), tea.WithEnvironment(env)}
	if !s.color {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	_, err := idle.NewProgram(program{s}, options...).Run()
	return err
}

type program struct{ *State }

// Init returns no command: bubbletea sends the size of the screen first.
func (p program) Init() tea.Cmd { return nil }

// Update handles a key, the mouse wheel or a new size of the screen.
func (p program) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	leave := false
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		p.Resize(msg.Width, msg.Height)
	case tea.KeyPressMsg:
		text := ""
		if msg.Mod&^tea.ModShift == 0 {
			text = msg.Text
		}
		leave = p.Key(msg.Keystroke(), text)
	case tea.MouseWheelMsg:
		name := "down"
		if msg.Button == tea.MouseWheelUp {
			name = "up"
		}
		leave = p.Key(name, "")
	}
	if leave {
		return p, tea.Quit
	}
	return p, nil
}

// View returns the screen for bubbletea.
func (p program) View() tea.View {
	v := tea.NewView(strings.Join(p.Lines(), "\n"))
	v.AltScreen, v.MouseMode = true, tea.MouseModeCellMotion
	return v
}
