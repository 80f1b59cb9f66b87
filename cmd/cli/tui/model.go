package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"golem/core/approval"
	"golem/core/ui"
	"golem/core/ui/view"
)

// model is the program's state beside what core/ui/view has: the size of the screen,
// what is being written, where the person looks.
type model struct {
	o     Options
	u     *UI
	state view.State

	width, height int
	transcript    transcript
	panel         panel
	editor        Editor
	elsewhere     *elsewhere // what this program ends for; nil: nothing
	dialog        *dialog
	waiting       []*dialog // questions behind the one on the screen
	overlays      []overlay // over the chat, the last one on the screen
	prompting     bool      // the session waits for a message
	queued        []string  // messages that were sent during an exchange
	returned      []string  // those that a stop gave back, behind the one in the editor
	back          int       // lines between the end of the transcript and the screen's
	leaving       bool      // Ctrl+C was pressed where nothing runs: the next leaves
	parting       bool      // Ctrl+D was pressed while messages wait: the next leaves without them
	details       bool      // calls are not folded
	closed        bool      // the input has ended
	joins         bool      // the terminal takes several characters as one glyph
	beating       bool
	beats         int
	palette       *strings.Replacer // of the styles, for the terminal's background; nil: as they are
	screen        tea.View
	stale         bool
}

// The names of the wheel's two keys.
const wheelUp, wheelDown = "wheel up", "wheel down"

// beat is a moment of an exchange: times and the spinner move.
type beat struct{}

// armed says that the dialog's keys count from now on.
type armed struct{ quiet int }

const (
	// long is the time after which the person may be elsewhere.
	long      = 10 * time.Second
	beatEvery = 250 * time.Millisecond
	// quietFor is how long no key may be pressed before a dialog's keys count.
	quietFor = 400 * time.Millisecond
)

func newModel(o Options, u *UI) *model {
	m := &model{o: o, u: u, editor: o.Editor, width: 80, height: 24, stale: true}
	if m.editor == nil {
		m.editor = &simple{}
	}
	m.state.Worker, m.state.Model, m.state.Resumed = o.Entry, o.Model, o.Resumed
	return m
}

func (m *model) now() time.Time {
	if m.o.Now == nil {
		return time.Now()
	}
	return m.o.Now()
}

// Init asks what is staged already; the first events come with the size of the screen.
// After the person's own editor it begins again what ended with the program before.
func (m *model) Init() tea.Cmd {
	m.beating = false
	cmd := tea.Batch(m.count(), func() tea.Msg { return arrived{} })
	if m.dialog != nil && !m.dialog.armed {
		cmd = tea.Batch(cmd, m.hush())
	}
	if m.o.Color {
		cmd = tea.Batch(cmd, tea.RequestBackgroundColor)
	}
	return cmd
}

// notify tells the person, if the exchange took long.
func (m *model) notify(what string) tea.Cmd {
	if m.o.Notify == nil || m.state.Status != view.Running || m.now().Sub(m.state.Begun) < long {
		return nil
	}
	if text := m.o.Notify(line(m.o.Project) + what); text != "" {
		return tea.Raw(text)
	}
	return nil
}

// Update takes a key, a new size, or what the session has to tell.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.stale = true
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case arrived:
		return m, m.arrive()
	case beat:
		m.beats++
		m.beating = false
		return m, m.tick()
	case armed:
		if m.dialog != nil && m.dialog.quiet == msg.quiet {
			m.dialog.armed = true
		}
	case tea.KeyPressMsg:
		if m.elsewhere == nil {
			return m, m.key(keyOf(msg))
		}
	case tea.BackgroundColorMsg:
		m.palette = paletteOf(msg.IsDark())
	case tea.ModeReportMsg:
		m.joins = m.joins || joins(msg)
	case tea.PasteMsg:
		m.paste(msg.Content)
	case tea.MouseWheelMsg:
		if msg.Button == tea.MouseWheelUp {
			return m, m.key(wheelUp, "")
		}
		return m, m.key(wheelDown, "")
	case tea.MouseClickMsg:
		m.click(msg.X, msg.Y)
	default:
		m.stale = false
	}
	return m, nil
}

// arrive takes what the session posted.
func (m *model) arrive() tea.Cmd {
	var cmd tea.Cmd
	for _, what := range m.u.take() {
		switch what := what.(type) {
		case event:
			m.state.Event(what.Event, what.at)
		case asked:
			m.waiting = append(m.waiting, newDialog(what))
			cmd = tea.Batch(cmd, m.notify(" asks"), m.next())
		case filling:
			m.fill(what)
		case then:
			cmd = tea.Batch(cmd, what(m))
		case view.Action:
			if what.Do == view.Prompted {
				cmd = tea.Batch(cmd, m.notify(" has answered"))
			}
			m.state.Act(what)
			switch what.Do {
			case view.Prompted:
				m.prompting = true
				m.flush()
				cmd = tea.Batch(cmd, m.count())
			case view.Answered:
				m.dialog, m.waiting = nil, nil
			}
		}
	}
	return tea.Batch(cmd, m.tick())
}

// next puts the next question on the screen, if none is there.
func (m *model) next() tea.Cmd {
	if m.dialog != nil || len(m.waiting) == 0 {
		return nil
	}
	m.dialog, m.waiting = m.waiting[0], m.waiting[1:]
	return m.hush()
}

// hush begins the wait after which a dialog's keys count.
func (m *model) hush() tea.Cmd {
	m.dialog.quiet++
	quiet := m.dialog.quiet
	return tea.Tick(quietFor, func(time.Time) tea.Msg { return armed{quiet} })
}

// tick moves the times while something goes on.
func (m *model) tick() tea.Cmd {
	if m.beating || m.state.Status != view.Running || m.dialog != nil {
		return nil
	}
	m.beating = true
	return tea.Tick(beatEvery, func(time.Time) tea.Msg { return beat{} })
}

// flush sends the next message that waits.
func (m *model) flush() {
	if m.prompting && len(m.queued) > 0 {
		m.prompting = false
		text := m.queued[0]
		if m.state.Command = isCommand(text); m.state.Command {
			m.state.Act(view.Action{Do: view.Told, ID: command, Text: strings.TrimSpace(text)})
		}
		m.u.lines <- text
		m.queued = m.queued[1:]
		m.state.Status, m.state.Begun = view.Running, m.now()
	}
}

// isCommand tells whether the session takes a line as a command.
func isCommand(text string) bool {
	c, err := ui.ParseCommand(text)
	return err != nil || c.Name != ui.Message
}

func (m *model) paste(text string) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	switch {
	case m.dialog == nil && m.top() != nil:
		if o, ok := m.top().(interface{ paste(string) }); ok {
			o.paste(text)
		}
	case m.dialog == nil:
		m.editor.Paste(text)
	case m.dialog.armed && m.dialog.text != nil:
		m.dialog.text.Paste(strings.ReplaceAll(text, "\n", " "))
	}
}

// answer ends the dialog on the screen.
func (m *model) answer(d approval.Decision) tea.Cmd {
	m.dialog.reply <- d
	m.dialog = nil
	m.state.Act(view.Action{Do: view.Answered})
	return tea.Batch(m.next(), m.tick())
}
