package tui

import (
	"cmp"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"golem/core/approval"
	"golem/core/trace"
	"golem/core/ui"
	"golem/core/ui/view"
)

// model is the state of the program beside that of core/ui/view: the size of the
// screen, the text being written, and the place where the person looks.
type model struct {
	o     Options
	u     *UI
	state view.State

	terminal   terminal
	transcript transcript
	panel      panel
	editor     Editor
	elsewhere  *elsewhere // set if the program ends for the person's own editor
	dialog     *dialog
	waiting    []*dialog // further questions, shown after the one on the screen
	overlays   overlays
	out        outbox
	back       int  // how many lines the transcript is scrolled up
	leaving    bool // Ctrl+C was pressed while nothing ran; the next one leaves
	parting    bool // Ctrl+D was pressed while messages wait; the next one drops them and leaves
	details    bool // calls are not folded
	closed     bool // the input has ended
	beating    bool
	beats      int
	messages   messages
}

// wheelUp and wheelDown are key names for the mouse wheel.
const wheelUp, wheelDown = "wheel up", "wheel down"

// beat is the message that updates the times and the spinner during an exchange.
type beat struct{}

const (
	// long is the time of a run after which the person may be elsewhere.
	long      = 10 * time.Second
	beatEvery = 250 * time.Millisecond
)

func newModel(o Options, u *UI) *model {
	m := &model{o: o, u: u, editor: o.Editor, terminal: terminal{width: 80, height: 24, stale: true}}
	if m.editor == nil {
		m.editor = &simple{}
	}
	m.state.Worker, m.state.Model, m.state.Resumed = o.Entry, o.Model, o.Resumed
	if o.Marked != nil {
		m.messages.mark, *o.Marked = *o.Marked, 0
		m.transcript.seek = m.messages.mark
	}
	return m
}

// Init asks how many changes are staged; the events come after the size of the screen.
// After the person's own editor, a new program starts: Init then starts again the
// timers that ended with the old one.
func (m *model) Init() tea.Cmd {
	m.beating = false
	cmd := tea.Batch(m.count(), func() tea.Msg { return arrived{} })
	if m.dialog != nil {
		cmd = tea.Batch(cmd, m.dialog.timer())
	}
	if m.o.Color {
		cmd = tea.Batch(cmd, tea.RequestBackgroundColor)
	}
	return cmd
}

// notify notifies the person if the exchange has taken long.
func (m *model) notify(what string) tea.Cmd {
	if m.o.Notify == nil || m.state.Status != view.Running || m.o.now().Sub(m.state.Begun) < long {
		return nil
	}
	if text := m.o.Notify(line(m.o.Project) + what); text != "" {
		return tea.Raw(text)
	}
	return nil
}

// Update handles a key, a new size of the screen, or what the session posted.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.terminal.stale = true
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.terminal.width, m.terminal.height = msg.Width, msg.Height
	case arrived:
		return m, m.arrive()
	case beat:
		m.beats++
		m.beating = false
		return m, m.tick()
	case waited:
		if m.dialog == msg.d && msg.d.number == msg.number {
			return m, m.applyOutcome(msg.d.elapsed())
		}
	case tea.KeyPressMsg:
		if m.elsewhere == nil {
			return m, m.key(keyOf(msg))
		}
	case tea.BackgroundColorMsg:
		m.terminal.palette = paletteOf(msg.IsDark())
	case tea.ModeReportMsg:
		m.terminal.joins = m.terminal.joins || joins(msg)
	case tea.PasteMsg:
		return m, m.paste(msg.Content)
	case tea.MouseWheelMsg:
		if msg.Button == tea.MouseWheelUp {
			return m, m.key(wheelUp, "")
		}
		return m, m.key(wheelDown, "")
	case tea.MouseClickMsg:
		m.click(msg.X, msg.Y)
	default:
		m.terminal.stale = false
	}
	return m, nil
}

// arrive handles what the session posted.
func (m *model) arrive() tea.Cmd {
	var cmd tea.Cmd
	for _, what := range m.u.drainPosts() {
		switch what := what.(type) {
		case event:
			m.state.Event(what.Event, what.at)
			m.takeBack(what.Event)
		case asked:
			m.waiting = append(m.waiting, newDialog(what, true, m.o.now))
			cmd = tea.Batch(cmd, m.notify(" asks"))
			m.showQuestion()
		case chosen:
			m.state.Model = cmp.Or(string(what), m.state.Model)
		case recalled:
			m.state.Items = append(m.state.Items, what...)
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
				m.out.wanted = true
				m.flush()
				cmd = tea.Batch(cmd, m.count(), readForms(m))
			case view.Answered:
				m.dialog, m.waiting = nil, nil
			}
		}
	}
	return tea.Batch(cmd, m.tick())
}

// takeBack puts a message that the person took back into the editor, if it is empty and no
// message waits that was sent in its place.
func (m *model) takeBack(e trace.Event) {
	b, is := e.Body.(trace.Status)
	if is && b.Draft != "" && m.editor.Text() == "" && m.out.unsent() == 0 {
		m.editor.SetText(b.Draft)
	}
}

// showQuestion shows the next question if none is on the screen.
func (m *model) showQuestion() {
	if m.dialog == nil && len(m.waiting) > 0 {
		m.dialog, m.waiting = m.waiting[0], m.waiting[1:]
	}
}

// tick schedules the next update of the times while an exchange runs.
func (m *model) tick() tea.Cmd {
	if m.beating || m.state.Status != view.Running || m.dialog != nil {
		return nil
	}
	m.beating = true
	return tea.Tick(beatEvery, func(time.Time) tea.Msg { return beat{} })
}

// flush sends the next queued message if the session waits for one.
func (m *model) flush() {
	if !m.out.wanted {
		return
	}
	if text, ok := m.out.waiting.next(false); ok {
		m.out.wanted = false
		if m.state.Command = isCommand(text); m.state.Command {
			m.state.Act(view.Action{Do: view.Told, ID: command, Text: strings.TrimSpace(text)})
		}
		m.u.lines <- text
		m.state.Begin(m.o.now())
	}
}

// isCommand reports whether the session handles a text as a command: one of its own, or a
// command line after an exclamation mark.
func isCommand(text string) bool {
	c, err := ui.ParseCommand(text)
	line, shell := strings.CutPrefix(strings.TrimSpace(text), "!")
	return err != nil || c.Name != ui.Message || shell && !strings.HasPrefix(line, "!")
}

func (m *model) paste(text string) tea.Cmd {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	switch {
	case m.dialog != nil:
		return m.applyOutcome(m.dialog.paste(text))
	case m.overlays.top() != nil && !m.overlays.editorHasKeyboard():
		if o, ok := m.overlays.top().(interface{ paste(string) }); ok {
			o.paste(text)
		}
	default:
		m.editor.Paste(dropped(m, text))
	}
	return nil
}

// dropped returns the text to insert for a pasted one. In a command, paths stay paths.
func dropped(m *model, text string) string {
	now := m.editor.Text()
	if m.o.Dropped == nil || strings.HasPrefix(now, "/") || strings.HasPrefix(now, "!") {
		return text
	}
	mention, ok := m.o.Dropped(text)
	switch {
	case !ok:
		return text
	case now != "" && !strings.HasSuffix(now, " ") && !strings.HasSuffix(now, "\n"):
		return " " + mention
	}
	return mention
}

// answer closes the dialog on the screen with a decision, and shows the next question.
func (m *model) answer(d approval.Decision) tea.Cmd {
	m.dialog.reply <- d
	m.dialog = nil
	m.state.Act(view.Action{Do: view.Answered})
	m.showQuestion()
	return m.tick()
}
