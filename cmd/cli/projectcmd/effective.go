package projectcmd

import (
	"context"
	"fmt"
	"strings"

	"golem/core"
	"golem/core/describe"
	"golem/core/project"
	"golem/core/sorting"
	"golem/core/ui"

	"golem/cmd/cli/console"
	"golem/cmd/cli/runflags"
)

// workerRows returns the table of golem workers. It has a column for shadowed workers
// only if there are some.
func workerRows(list []project.Listing) [][]string {
	rows := [][]string{{"ID", "PATH", "SOURCE", "DESCRIPTION", ""}}
	for _, l := range list {
		if len(l.Shadowed) > 0 {
			rows[0][4] = "SHADOWED"
		}
		rows = append(rows, []string{ui.OneLine(l.ID), ui.OneLine(l.Path), ui.OneLine(l.Source), ui.OneLine(l.Description), ui.OneLine(strings.Join(l.Shadowed, ", "))})
	}
	return rows
}

// callTree prints which worker may call which: workers --tree and --mermaid.
func callTree(c *console.Console, inst *core.Instance, f *runflags.Flags, mermaid bool) error {
	t := inst.CallTree(context.Background())
	text := console.Painted(c.Out, t.Lines(), c.Colors(c.Out, f.NoColor))
	switch {
	case f.JSON:
		line, err := console.JSONLine(t)
		if err != nil {
			return err
		}
		text = line
	case mermaid:
		text = t.Mermaid()
	}
	if !f.JSON {
		c.Report(t.Faults)
	}
	if err := c.Print(text); err != nil {
		return err
	}
	if t.Faults.Err() != nil {
		return console.ExitCode(console.ExitFailed)
	}
	return nil
}

// effectiveValues returns the effective values of every worker, each with its origin,
// and what its tools can call: check --verbose (SPEC §3, scenario 4).
func effectiveValues(inst *core.Instance) string {
	var b strings.Builder
	set := inst.Project().Approval
	fmt.Fprintf(&b, "approval.mode: %s (%s)\n", set.Mode, ui.OneLine(set.Origin))
	workers := inst.Project().Workers.Used()
	list, _ := inst.Workers()
	for _, l := range list {
		if w, err := inst.Project().Workers.InFile(l.Path); l.Source == "built-in" && err == nil {
			workers = append(workers, w)
		}
	}
	sorting.By(workers, func(a, b *project.Worker) int { return strings.Compare(a.ID, b.ID) })
	for _, w := range workers {
		b.WriteString("\n" + ui.OneLine(w.ID) + " (" + ui.OneLine(w.File) + ")\n")
		for line := range strings.Lines(describe.ValuesText(inst.Project().Values(w))) {
			b.WriteString("  " + line)
		}
		for _, t := range inst.Tools(context.Background(), w) {
			if len(t.Uses) > 0 {
				from := t.Module
				if from == "" {
					from = "toolset " + t.Toolset
				}
				fmt.Fprintf(&b, "  tool %s can call: %s (%s)\n", ui.OneLine(t.Name), ui.OneLine(strings.Join(t.Uses, ", ")), ui.OneLine(from))
			}
		}
	}
	b.WriteString("\n")
	return b.String()
}
