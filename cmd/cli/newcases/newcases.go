// Package newcases shows cases of tests that were made of runs, asks, and writes them (SPEC §17).
package newcases

import (
	"context"
	"strings"

	"golem/core"
	"golem/core/fault"
	"golem/core/ui"
	"golem/core/worktest"

	"golem/cmd/cli/console"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// Wanted says of which runs cases are made.
type Wanted struct {
	Runs []string // IDs
	// All makes cases of all Runs that can be one, of all kept runs without Runs. Without it,
	// one case is made, of the newest run without Runs, and a run that cannot be one is an error.
	All bool
	Yes bool // nobody is asked
	// Command is the command with which the person says yes where nobody can be asked.
	Command string
}

// Of opens a project, makes cases of its kept runs, shows everything that is to be written, and
// writes it after a yes. With --yes nobody decides by the recordings, so they are not shown.
func Of(c *console.Console, p target.Place, lib []string, w Wanted) error {
	t := toolhost.New(c, false)
	defer t.Close()
	inst, err := machine.Open(c, p, machine.Opening{Lib: lib}, t)
	if err != nil {
		return err
	}
	tests, err := inst.Tests()
	if err != nil {
		return err
	}
	ctx, stop := c.Interruptible(context.Background())
	made, err := w.makeCases(ctx, tests)
	interrupted := ctx.Err() != nil
	stop()
	switch {
	case interrupted:
		return console.ExitCode(console.ExitInterrupted)
	case err != nil:
		return err
	}
	return keep(c, tests, made, w)
}

func (w Wanted) makeCases(ctx context.Context, tests *core.Tests) (*worktest.Accepted, error) {
	if w.All {
		return tests.AcceptAll(ctx, w.Runs)
	}
	return tests.Accept(ctx, strings.Join(w.Runs, ""))
}

// keep shows cases, asks, and writes them.
func keep(c *console.Console, tests *core.Tests, made *worktest.Accepted, w Wanted) error {
	none := len(made.Cases) == 0
	seen, err := c.Review(w.Yes || none, nil, console.Fit(c.Out, ui.Safe(made.Text(!w.Yes))))
	switch {
	case err != nil:
		return err
	case none:
		c.Say("no case was made")
		return console.ExitCode(console.ExitFailed)
	}
	yes := w.Yes
	if seen && !yes {
		question := "Keep " + fault.Count(len(made.Cases), "case") + " with what was recorded?"
		if yes, err = c.Confirm(false, question, "look at it, and use "+w.Command+" --yes"); err != nil {
			return err
		}
	}
	if !yes {
		return console.NotConfirmed(c, "nothing was written")
	}
	if err := tests.Write(made); err != nil {
		return err
	}
	return c.Print(strings.Join(made.Names(), "\n") + "\n")
}
