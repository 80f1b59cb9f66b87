package tracecmd

import (
	"github.com/spf13/cobra"

	"golem/core/ui/report"

	"golem/cmd/cli/console"
)

func diffCommand(c *console.Console) *cobra.Command {
	var asJSON, noColor bool
	cmd := &cobra.Command{
		Use: "diff A B", Short: "compare two runs: their first difference, tokens, cost, duration, answers",
		Long: `Compares two runs, worker by worker, turn by turn, call by call, and shows their
first difference. If only one run makes a call, the calls after it are still
compared with each other. Durations are shown, but another duration is not a
difference.

A and B are trace files, or names of runs below .golem/runs.

Exit codes: 0 the runs are the same, 1 they differ, 2 wrong usage.`,
		Example: `  golem trace diff before.jsonl after.jsonl
  golem trace diff 20260314-091500-3fa9c1 20260314-093000-77b2e0 --json`,
		Args: console.Words(2, 2),
		RunE: func(_ *cobra.Command, args []string) error { return diff(c, args[0], args[1], asJSON, noColor) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one line of JSON, with all differences whole")
	cmd.Flags().BoolVar(&noColor, "no-color", false, "print without colours (NO_COLOR does the same)")
	return cmd
}

// diff compares two traces. It returns exit code 1 if they differ.
func diff(c *console.Console, one, other string, asJSON, noColor bool) error {
	ha, a, err := Read(c, one)
	if err != nil {
		return err
	}
	hb, b, err := Read(c, other)
	if err != nil {
		return err
	}
	d := report.Compare(ha, a, hb, b)
	if asJSON {
		err = c.PrintJSON(d)
	} else {
		width := 0
		if console.IsTerminal(c.Out) {
			width = console.Columns(c.Out)
		}
		err = c.Print(d.Text(c.Colors(c.Out, noColor), width))
	}
	if err == nil && !d.Same {
		err = console.ExitCode(console.ExitFailed)
	}
	return err
}
