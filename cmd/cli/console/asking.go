package console

import (
	"context"
	"strings"

	"golem/core/ui"
)

// Review prints a text with the notes about it, before a question about it. If a person will
// be asked on this terminal, it stops after each screen; seen is false if the person said no
// before the end, and then nothing may be asked. With yes nobody is asked.
func (c *Console) Review(yes bool, notes []string, text string) (seen bool, err error) {
	var person ui.Person
	if !yes && IsTerminal(c.Out) {
		person = c.Person()
	}
	if person == nil {
		for _, n := range notes {
			c.Say("%s", n)
		}
		return true, c.Print(text)
	}
	var b strings.Builder
	for _, n := range notes {
		b.WriteString(Fit(c.Out, "golem: "+n+"\n"))
	}
	ctx, stop := c.Interruptible(context.Background())
	defer stop()
	seen, err = ui.Page(ctx, person, Rows(c.Out), strings.TrimSuffix(b.String()+text, "\n"))
	if ctx.Err() != nil {
		return false, ExitCode(ExitInterrupted)
	}
	return seen && err == nil, nil // an error: nobody answered
}

// Confirm asks a question and reports whether the answer is yes. With yes it does not
// ask. Without a terminal it prints otherwise, which names the flag to use, and returns
// false.
func (c *Console) Confirm(yes bool, question, otherwise string) (bool, error) {
	if yes {
		return true, nil
	}
	person := c.Person()
	if person == nil {
		c.Say("there is no terminal, so nobody can be asked: %s", otherwise)
		return false, nil
	}
	ctx, stop := c.Interruptible(context.Background())
	defer stop()
	for n, asked := 1, question; ; n, asked = n+1, "Please answer y or n. "+question {
		answer, err := person.Ask(ctx, Fit(c.Err, asked+" [y/N] "))
		switch answer = strings.ToLower(strings.TrimSpace(answer)); {
		case ctx.Err() != nil:
			return false, ExitCode(ExitInterrupted)
		case err != nil: // nobody answered
			return false, nil
		case answer == "y" || answer == "yes":
			return true, nil
		case answer == "" || answer == "n" || answer == "no" || n == tries:
			return false, nil
		}
	}
}

// tries is how often a person is asked who answers neither yes nor no.
const tries = 3

// NotConfirmed ends a command whose question got no yes: it prints what was not done and returns
// the exit code, ExitNobody if nobody could be asked and ExitFailed if the person said no.
func NotConfirmed(c *Console, notDone string) error {
	c.Say("%s", notDone)
	if c.Person() == nil {
		return ExitCode(ExitNobody)
	}
	return ExitCode(ExitFailed)
}
