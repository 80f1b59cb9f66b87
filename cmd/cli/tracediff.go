package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"golem/core/fault"
	"golem/core/trace"
)

func (h *host) traceDiff() *cobra.Command {
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
		Args: words(2, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			ha, a, err := h.readTrace(args[0])
			if err != nil {
				return err
			}
			hb, b, err := h.readTrace(args[1])
			if err != nil {
				return err
			}
			d := trace.Compare(ha, a, hb, b)
			text := ""
			if asJSON {
				text, err = jsonLine(d)
			} else {
				width := 0
				if isTerminal(h.out) {
					width = columns(h.out)
				}
				text = d.Text(h.colors(h.out, &flags{noColor: noColor}), width)
			}
			if err == nil {
				err = h.print(text)
			}
			if err == nil && !d.Same {
				err = exitCode(exitFailed)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one line of JSON, with all differences whole")
	cmd.Flags().BoolVar(&noColor, "no-color", false, "print without colours (NO_COLOR does the same)")
	return cmd
}

// traceName returns the file that a word means: a file, or the name of a run below
// .golem/runs of the directory that orProject returns; "" is the newest of these.
func (h *host) traceName(word string) (string, error) {
	runs := filepath.Join(h.orProject(""), filepath.FromSlash(trace.RunsDir))
	if word == "" {
		entries, _ := os.ReadDir(h.path(runs)) // sorted by name, which begins with the time
		for _, e := range slices.Backward(entries) {
			if strings.HasSuffix(e.Name(), ".jsonl") {
				return filepath.Join(h.path(runs), e.Name()), nil
			}
		}
		return "", fault.New(fault.NotFound, "there is no trace in %s", trace.RunsDir).Hinting("each run writes one; run golem there first, or name the file of a trace")
	}
	if isRunID(strings.TrimSuffix(word, ".jsonl")) {
		if _, err := os.Stat(h.path(word)); err != nil {
			return filepath.Join(runs, strings.TrimSuffix(word, ".jsonl")+".jsonl"), nil
		}
	}
	return word, nil
}
