package traceview

import (
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// Run shows the viewer on a terminal until the person leaves it.
func (s *State) Run(in, out *os.File, env []string) error {
	options := []tea.ProgramOption{tea.WithInput(in), tea.WithOutput(out), tea.WithEnvironment(env)}
	if !s.color {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	_, err := tea.NewProgram(program{s}, options...).Run()
	return err
}

type program struct{ *State }

// Init is nothing: the size of the screen comes first.
func (p program) Init() tea.Cmd { return nil }

// Update takes a key, the wheel or a new size.
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

// View draws the screen.
func (p program) View() tea.View {
	v := tea.NewView(strings.Join(p.Lines(), "\n"))
	v.AltScreen, v.MouseMode = true, tea.MouseModeCellMotion
	return v
}
