package main

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
)

func (h *host) trustCommand() *cobra.Command {
	f := &flags{}
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
		Args: words(0, 1),
		RunE: func(_ *cobra.Command, words []string) error {
			if list && remove {
				return usage("--list and --remove cannot be used together").Hinting("use one of them")
			}
			switch {
			case adopt && (list || remove):
				return usage("--adopt stands alone").Hinting("golem trust --adopt")
			case adopt:
				return h.adopt(f, words, yes)
			case yes:
				return usage("--yes needs --adopt").Hinting("in CI, --trust or GOLEM_TRUST says yes for a run")
			}
			return h.trust(f, words, list, remove)
		},
	}
	f.set = cmd.Flags()
	cmd.Flags().BoolVar(&list, "list", false, "show the list, ask nothing")
	cmd.Flags().BoolVar(&f.plain, "plain", false, "ask in plain lines on a terminal, too")
	cmd.Flags().BoolVar(&adopt, "adopt", false, "after the project was moved: adopt what golem kept of it in the former place")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "with --adopt: adopt without asking")
	cmd.Flags().BoolVar(&remove, "remove", false, "forget what was trusted of this project")
	return cmd
}

func (h *host) trust(f *flags, words []string, list, remove bool) error {
	p, _, err := h.target(f, h.orHere(f, words))
	if err == nil && !remove {
		err = h.noProject(p)
	}
	if err != nil {
		return err
	}
	t := h.newTools(false)
	defer t.close()
	inst, err := h.open(p, f, t)
	if inst == nil {
		return err
	}
	if remove {
		had, err := inst.Distrust()
		if err != nil {
			return err
		}
		if !had {
			return h.print("nothing of this project was trusted\n")
		}
		return h.print("forgotten: the next run asks again\n")
	}
	all := inst.Widenings(context.Background())
	open := inst.Untrusted(all)
	if list || len(open) == 0 {
		return h.show(trustList(inst, all))
	}
	person := h.person(f)
	if person == nil {
		h.say("%s", fault.New(fault.Trust, "there is no terminal, so nobody can be asked").
			Hinting("golem trust --list shows the list; --trust says yes for one run, GOLEM_TRUST=%s says yes to exactly this list", all.Digest()).Error())
		return exitCode(exitNobody)
	}
	ctx, leave, stop := h.interruptibleBut(context.Background(), nil)
	defer stop()
	rec, err := h.askTrust(ctx, inst, open, f, person, leave)
	switch {
	case err != nil:
		return err
	case !rec.Run:
		h.say("not trusted: these settings have no effect")
		return exitCode(exitFailed)
	}
	if err := inst.Trust(open); err != nil {
		return err
	}
	return h.print(fmt.Sprintf("trusted: %s\n", fault.Count(len(open), "setting")))
}

// askTrust asks the person for trust with the same question as a run.
func (h *host) askTrust(ctx context.Context, inst *core.Instance, open trust.List, f *flags, person ui.Person, leave func(*fault.Fault)) (approval.Record, error) {
	if !h.draws(f, person) {
		return inst.AskTrust(ctx, open, h.questions(f, person))
	}
	u, restore := h.inline(f, person, func() { leave(fault.New(fault.Interrupted, "interrupted by the user")) })
	defer restore()
	return inst.AskTrust(ctx, open, u)
}

// trustList returns a project's widenings, one a line, and their digest.
func trustList(inst *core.Instance, all trust.List) string {
	if len(all) == 0 {
		return "nothing to trust: the project's files allow nothing beyond its sandbox\n"
	}
	var b strings.Builder
	for _, w := range all.ByDanger() {
		state := "untrusted"
		if inst.Trusted(w) {
			state = "trusted"
		}
		fmt.Fprintf(&b, "%-9s  %s\n", state, oneLine(widening(w)))
	}
	fmt.Fprintf(&b, "digest of the list: %s\n", all.Digest())
	return b.String()
}

// widening returns a widening as one line for people: its place, the setting, and what
// follows from it.
func widening(w trust.Widening) string {
	text := fmt.Sprintf("%s: %s: %s", w.At, w.Path, w.Value)
	if w.Module != "" {
		text += " (module sha256:" + w.Module + ")"
	}
	return text + w.Files() + ": " + w.Means
}
