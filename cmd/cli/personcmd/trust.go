package personcmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"golem/core"
	"golem/core/approval"
	"golem/core/fault"
	"golem/core/trust"
	"golem/core/ui"

	"golem/cmd/cli/asking"
	"golem/cmd/cli/console"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// TrustCommand returns golem trust.
func TrustCommand(c *console.Console) *cobra.Command {
	f := &runflags.Flags{}
	var list, remove, adopt, yes bool
	cmd := &cobra.Command{
		Use:   "trust [DIR]",
		Short: "see and trust what a project's files allow beyond its sandbox",
		Long: `A project's files can allow things beyond its own sandbox: commands that run
without asking, hosts that modules can reach, addresses that prompts are sent to.
These settings have no effect until you trust them. golem trust shows the list
for the whole project and asks. It saves a yes in $GOLEM_HOME/trust.json, for this
project in this directory; when a value changes, golem asks again.

  golem trust DIR            show the list and ask
  golem trust DIR --list     only show the list
  golem trust DIR --remove   forget every yes for this project
  golem trust DIR --adopt    after you moved the project: show what golem kept in
                             .golem on this machine in the former place, and ask

A run on a terminal asks once, before it begins. In CI, --trust says yes for one run,
and GOLEM_TRUST=DIGEST says yes to exactly the list of that digest.`,
		Args: console.Words(0, 1),
		RunE: func(_ *cobra.Command, words []string) error {
			if list && remove {
				return console.Usage("--list and --remove cannot be used together").Hinting("use one of them")
			}
			switch {
			case adopt && (list || remove):
				return console.Usage("--adopt stands alone").Hinting("golem trust --adopt")
			case adopt:
				return adoptState(c, f, words, yes)
			case yes:
				return console.Usage("--yes needs --adopt").Hinting("in CI, --trust or GOLEM_TRUST says yes for a run")
			}
			return runTrust(c, f, words, list, remove)
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "show the list, ask nothing")
	f.Add(cmd.Flags(), "trust")
	cmd.Flags().BoolVar(&adopt, "adopt", false, "after the project was moved: adopt what golem kept of it in the former place")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "with --adopt: adopt without asking")
	cmd.Flags().BoolVar(&remove, "remove", false, "forget what was trusted of this project")
	return cmd
}

func runTrust(c *console.Console, f *runflags.Flags, words []string, list, remove bool) error {
	p, _, err := target.Find(c, f.Wanted(), target.OrHere(c, f.Project, words))
	if err == nil && !remove {
		err = target.NoProject(c, p)
	}
	if err != nil {
		return err
	}
	t := toolhost.New(c, false)
	defer t.Close()
	inst, err := machine.Open(c, p, f.OpenWith(), t)
	if inst == nil {
		return err
	}
	if remove {
		had, err := inst.Consent().Distrust()
		if err != nil {
			return err
		}
		if !had {
			return c.Print("nothing of this project was trusted\n")
		}
		return c.Print("forgotten: the next run asks again\n")
	}
	all := inst.Consent().Widenings(context.Background())
	open := inst.Consent().Untrusted(all)
	if list || len(open) == 0 {
		return c.Show(trustList(inst, all))
	}
	person := c.Person()
	if person == nil {
		c.Say("%s", fault.New(fault.Trust, "there is no terminal, so nobody can be asked").
			Hinting("golem trust --list shows the list; --trust says yes for one run, GOLEM_TRUST=%s says yes to exactly this list", all.Digest()).Error())
		return console.ExitCode(console.ExitNobody)
	}
	ctx, leave, stop := c.InterruptibleBut(context.Background(), nil)
	defer stop()
	rec, err := askTrust(ctx, c, inst, open, f, person, leave)
	switch {
	case err != nil:
		return err
	case !rec.Run:
		c.Say("not trusted: these settings have no effect")
		return console.ExitCode(console.ExitFailed)
	}
	if err := inst.Consent().Trust(open); err != nil {
		return err
	}
	return c.Print(fmt.Sprintf("trusted: %s\n", fault.Count(len(open), "setting")))
}

// askTrust asks the person for trust with the same question as a run.
func askTrust(ctx context.Context, c *console.Console, inst *core.Instance, open trust.List, f *runflags.Flags, person ui.Person, leave func(*fault.Fault)) (approval.Record, error) {
	if !asking.Draws(c, f.Plain, person) {
		return inst.Consent().Ask(ctx, open, asking.Questions(c, person, false))
	}
	u, restore := asking.Inline(c, person, false, func() { leave(fault.New(fault.Interrupted, "interrupted by the user")) })
	defer restore()
	return inst.Consent().Ask(ctx, open, u)
}

// trustList returns a project's widenings, one a line, and their digest.
func trustList(inst *core.Instance, all trust.List) string {
	if len(all) == 0 {
		return "nothing to trust: the project's files allow nothing beyond its sandbox\n"
	}
	var b strings.Builder
	for _, w := range all.ByDanger() {
		state := "untrusted"
		if inst.Consent().Trusted(w) {
			state = "trusted"
		}
		fmt.Fprintf(&b, "%-9s  %s\n", state, ui.OneLine(Widening(w)))
	}
	fmt.Fprintf(&b, "digest of the list: %s\n", all.Digest())
	return b.String()
}

// Widening returns a widening as one line for people: its place, the setting, and what
// follows from it.
func Widening(w trust.Widening) string {
	text := fmt.Sprintf("%s: %s: %s", w.At, w.Path, w.Value)
	if w.Module != "" {
		text += " (module sha256:" + w.Module + ")"
	}
	return text + w.Files() + ": " + w.Means
}
