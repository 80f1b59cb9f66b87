package tui

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"golem/core/approval"

	"golem/cmd/cli/idle"
)

// askProgram is a bubbletea program that asks one question below the last line of the
// terminal. It erases the question at the end.
type askProgram struct {
	d             *dialog
	width, height int
	color         bool
	leave         func()
	over          bool
	joins         bool // the terminal draws several code points as one glyph
	answered      bool
	answer        approval.Decision
}

// withdrawn is the message that ends the program without an answer.
type withdrawn struct{}

// ask shows a question until the person answers it, ctx ends or the terminal is gone.
func ask(ctx context.Context, r approval.Request, n *Inline) (approval.Decision, error) {
	q := &askProgram{d: newDialog(asked{Request: r}, false, n.now), color: n.Color, leave: n.Leave}
	q.width, q.height = n.size()
	var p *tea.Program
	gone := make(chan struct{})
	in := input{n.In, func(error) {
		select {
		case <-gone:
		default:
			close(gone)
			go p.Send(withdrawn{})
		}
	}, &pasted{now: n.now}}
	options := []tea.ProgramOption{tea.WithInput(in), tea.WithOutput(n.Out), tea.WithEnvironment(n.Env), tea.WithoutSignalHandler()}
	if !n.Color {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	p = idle.NewProgram(q, options...)
	stop := context.AfterFunc(ctx, func() { p.Send(withdrawn{}) })
	defer stop()
	_, err := p.Run()
	switch {
	case q.answered:
		return q.answer, nil
	case ctx.Err() != nil:
		return approval.Decision{}, ctx.Err()
	case err != nil:
		return approval.Decision{}, errors.Join(errGone, err)
	}
	return approval.Decision{}, errGone
}

// Init starts the wait that must pass before letters count.
func (q *askProgram) Init() tea.Cmd { return q.d.timer() }

// Update handles a key, a new size of the screen or the end.
func (q *askProgram) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case withdrawn:
		q.over = true
		return q, tea.Quit
	case tea.WindowSizeMsg:
		q.width, q.height = msg.Width, msg.Height
	case waited:
		if msg.number == q.d.number && !q.over {
			return q, q.applyOutcome(q.d.elapsed())
		}
	case tea.ModeReportMsg:
		q.joins = q.joins || joins(msg)
	case tea.PasteMsg:
		return q, q.applyOutcome(q.d.paste(msg.Content))
	case tea.KeyPressMsg:
		return q, q.key(keyOf(msg))
	}
	return q, nil
}

func (q *askProgram) key(name, text string) tea.Cmd {
	switch name {
	case "ctrl+c":
		if q.leave != nil {
			q.leave() // this ends ctx, which ends the question
		}
		return nil
	case "ctrl+z":
		return tea.Suspend
	}
	return q.applyOutcome(q.d.press(name, text, false))
}

// applyOutcome carries out what a key did to the question.
func (q *askProgram) applyOutcome(o outcome) tea.Cmd {
	if !o.done {
		return q.d.timer()
	}
	q.answer, q.answered, q.over = o.decision, true, true
	return tea.Quit
}

// View returns the question; nothing once it is over.
func (q *askProgram) View() tea.View {
	if q.over {
		return tea.NewView("")
	}
	width, height := max(q.width, 8), max(q.height, 4)
	lines, x, y := q.d.view(width, height-1, q.color)
	lines = lines[max(len(lines)-height+1, 0):]
	for i := range lines {
		lines[i] = cut(lines[i], width)
	}
	content := strings.Join(lines, "\n")
	if !q.joins {
		content = singleGlyphs(content)
	}
	v := tea.NewView(content)
	if x >= 0 && y >= 0 {
		v.Cursor = tea.NewCursor(min(x, width-1), min(y, len(lines)-1))
		v.Cursor.Blink = false
	}
	return v
}
