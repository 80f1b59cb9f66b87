// Package hardencmd is golem harden: it turns a worker that proved itself into code (SPEC §18).
package hardencmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"golem/core"
	"golem/core/approval"
	"golem/core/harden"
	"golem/core/options"
	"golem/core/ui"
	"golem/core/ui/plain"

	"golem/cmd/cli/asking"
	"golem/cmd/cli/console"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// flags are those of golem harden.
type flags struct {
	project, model            string
	lib                       []string
	rounds                    int
	apply, again, json, trust bool
}

// Command returns golem harden.
func Command(c *console.Console) *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use:   "harden WORKER",
		Short: "turn a worker that proved itself into code",
		Long: `Lets a model write JavaScript that takes the place of a worker, and says how good it
is. The cases are the worker's tests and its kept conversations. The model sees 70
percent of them; the others decide. The code runs in golem's sandbox without any
grant. Nothing changes before you say yes: then the source, its module and the
worker file are written together. Callers stay as they are, and where the code is
unsure or fails, the worker answers as before.`,
		Example: `  golem harden reports/triage
  golem harden triage --model openai:gpt-5-mini --rounds 6
  golem harden triage --again --apply`,
		Args: console.Words(1, 1),
		RunE: func(cmd *cobra.Command, words []string) error { return f.harden(c, cmd, words[0]) },
	}
	s := cmd.Flags()
	s.StringVar(&f.project, "project", "", "the project (default: the current directory)")
	s.StringVarP(&f.model, "model", "m", "", "the model that writes the code")
	s.IntVar(&f.rounds, "rounds", 4, "how often the model is asked at most")
	s.BoolVar(&f.apply, "apply", false, "write the files without asking, unless the report warns against it")
	s.BoolVar(&f.again, "again", false, "go on from the code of a hardened worker, with what the worker answered since")
	s.BoolVar(&f.json, "json", false, "print the report as one line of JSON; nothing is asked")
	s.BoolVar(&f.trust, "trust", false, "trust for this run what the project's files allow beyond its sandbox")
	s.StringArrayVar(&f.lib, "lib", nil, "search libraries in this directory first")
	return cmd
}

func (f *flags) harden(c *console.Console, cmd *cobra.Command, worker string) error {
	if err := console.NotEmpty(cmd.Flags(), "project", "model"); err != nil {
		return err
	}
	if f.rounds < 1 || f.rounds > 20 {
		return console.Usage("--rounds %d is not between 1 and 20", f.rounds)
	}
	p, _, err := target.Find(c, target.Wanted{Command: "harden", Project: f.project, Set: cmd.Flags()}, target.OrHere(c, f.project, nil))
	if err != nil {
		return err
	}
	t := toolhost.New(c, false)
	defer t.Close()
	inst, err := machine.Open(c, p, machine.Opening{Lib: f.lib, Options: core.Options{Opening: options.Opening{Model: f.model, Trust: f.trust}}}, t)
	if err != nil {
		return err
	}
	ctx, stop := c.Interruptible(context.Background())
	defer stop()
	how := core.HardenRun{Rounds: f.rounds, Again: f.again}
	if person := c.Person(); person != nil && !f.json {
		how.Person = asking.Questions(c, person, false)
	}
	spinner, end := c.Spinner()
	spinner.Wait("playing the tests of " + worker)
	how.Watch = rounds{spinner, worker}
	h, err := inst.Harden(ctx, worker, how)
	end()
	if ctx.Err() != nil {
		c.Say("interrupted: nothing was written")
		return console.ExitCode(console.ExitInterrupted)
	}
	if err != nil {
		return err
	}
	return f.finish(ctx, c, h)
}

// rounds shows on a terminal which round runs.
type rounds struct {
	spinner *plain.Spinner
	worker  string
}

// Writing shows that the model writes.
func (r rounds) Writing(n, of int) {
	r.spinner.Wait(fmt.Sprintf("round %d of at most %d: the model writes the code", n, of))
}

// Rounded shows the end of a round.
func (r rounds) Rounded(n, of int, round harden.Round) {
	r.spinner.Wait(fmt.Sprintf("round %d of at most %d: %d of %d cases the same", n, of, round.Shown.Same, round.Shown.Cases))
}

// finish prints the report, and applies the code after a yes.
func (f *flags) finish(ctx context.Context, c *console.Console, h *core.Hardened) error {
	r, doubt := h.Report, h.Report.Doubt()
	if r.NothingNew && !f.json {
		return c.Show(console.Fit(c.Out, r.Text()))
	}
	if f.json {
		if f.apply && doubt == "" && !r.NothingNew {
			if err := h.Apply(ctx); err != nil {
				return err
			}
		}
		if err := c.PrintJSON(r); err != nil {
			return err
		}
		return exit(r)
	}
	text := r.Text()
	if r.Source != "" {
		text += "\nIt writes " + ui.OneLine(strings.Join(r.Files, ", ")) + ". The source:\n\n" + reviewed(r.Source)
	}
	if r.Source != "" && doubt != "" {
		text += "\nThe report warns: " + doubt + ".\n"
	}
	whole, err := c.Review(f.apply || r.Source == "", nil, console.Fit(c.Out, text))
	if err != nil || r.Source == "" {
		if err == nil {
			err = console.ExitCode(console.ExitFailed)
		}
		return err
	}
	yes := false
	if whole {
		question := fmt.Sprintf("%d of %d unseen cases the same: harden %s with it?", r.Held.Same, r.Held.Cases, r.Worker)
		if doubt != "" {
			question = "harden " + r.Worker + " all the same?"
		}
		yes, err = c.Confirm(f.apply && doubt == "", question, "--apply hardens the worker with it, if the report warns of nothing")
	}
	if err != nil {
		return err
	}
	if !yes {
		unwritten := console.NotConfirmed(c, "nothing was written but a draft of the code in .golem/harden")
		if warned := exit(r); warned != nil || c.Person() != nil {
			return warned
		}
		return unwritten
	}
	if err := h.Apply(ctx); err != nil {
		return err
	}
	return c.Show("hardened " + r.Worker + ": " + strings.Join(r.Files, ", ") + "\n")
}

// exit returns the exit code of a report whose code was not applied: 1 if it warns.
func exit(r *harden.Report) error {
	if !r.Applied && r.Doubt() != "" {
		return console.ExitCode(console.ExitFailed)
	}
	return nil
}

// reviewed returns a source that a model wrote as a person decides on it (SECURITY 9): each line
// is moved to the right, and what is not visible is an escape.
func reviewed(source string) string {
	lines, changed := approval.Lines(source)
	var b strings.Builder
	for _, l := range lines {
		b.WriteString("    " + l + "\n")
	}
	if changed {
		b.WriteString("\nNote: control, invisible or text-direction characters of the source are shown as escapes.\n")
	}
	return b.String()
}
