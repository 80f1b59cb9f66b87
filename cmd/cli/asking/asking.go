// Package asking draws or prints the questions of a run on the terminal of a person.
package asking

import (
	"os"

	"golem/core/ui"

	"golem/cmd/cli/console"
	"golem/cmd/cli/tui"
)

// Questions returns the approver that asks a person on their terminal.
func Questions(c *console.Console, person ui.Person, noColor bool) ui.Questions {
	q := ui.Questions{Person: person}
	if t, ok := person.(*console.Terminal); ok {
		q.Screen, q.Color = c.Screen(t.Out), c.Colors(t.Out, noColor)
	}
	return q
}

// Draws reports whether a question may be drawn, instead of printed in plain lines.
func Draws(c *console.Console, plain bool, person ui.Person) bool {
	return !plain && person != nil && c.Escapes(c.Err) && console.InForeground(c.Err)
}

// Inline returns a front end that draws on the person's terminal. Typed characters are
// not shown there until restore is called. leave is called for Ctrl+C at a question.
func Inline(c *console.Console, person ui.Person, noColor bool, leave func()) (u *tui.Inline, restore func()) {
	screen := c.Screen(c.Err)
	u = &tui.Inline{
		Screen: c.Err, Answers: c.Out, Drawn: console.IsTerminal(c.Out), Env: os.Environ(),
		Size: screen.Size, Live: screen.Live, Color: c.Colors(c.Err, noColor), Leave: leave,
	}
	restore = func() {}
	if t, ok := person.(*console.Terminal); ok {
		u.In, u.Out = t.In, t.Out
		restore = console.HideTyped(t.In)
	}
	return u, restore
}
