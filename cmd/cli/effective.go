package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"golem/core"
	"golem/core/describe"
	"golem/core/project"
	"golem/core/sorting"
)

// workerRows returns the table of golem workers. It has a column for shadowed workers
// only if there are some.
func workerRows(list []project.Listing) [][]string {
	rows := [][]string{{"ID", "PATH", "SOURCE", "DESCRIPTION", ""}}
	for _, l := range list {
		if len(l.Shadowed) > 0 {
			rows[0][4] = "SHADOWED"
		}
		rows = append(rows, []string{oneLine(l.ID), oneLine(l.Path), oneLine(l.Source), oneLine(l.Description), oneLine(strings.Join(l.Shadowed, ", "))})
	}
	return rows
}

// callTree prints which worker may call which: workers --tree and --mermaid.
func (h *host) callTree(inst *core.Instance, f *flags) error {
	t := inst.CallTree(context.Background())
	text := fit(h.out, t.Text())
	switch {
	case f.json:
		line, err := jsonLine(t)
		if err != nil {
			return err
		}
		text = line
	case f.mermaid:
		text = t.Mermaid()
	}
	if !f.json {
		h.report(t.Faults)
	}
	if !f.json && !f.mermaid && h.colors(h.out, f) {
		text = coloredTree(text)
	}
	if err := h.print(text); err != nil {
		return err
	}
	if t.Faults.Err() != nil {
		return exitCode(exitFailed)
	}
	return nil
}

// jsonLine returns a value as one line of JSON, for --json.
func jsonLine(v any) (string, error) {
	data, err := json.Marshal(v)
	return string(data) + "\n", err
}

// effectiveValues returns the effective values of every worker, each with its origin,
// and what its tools can call: check --verbose (SPEC §3, scenario 4).
func effectiveValues(inst *core.Instance) string {
	var b strings.Builder
	mode, origin, _ := inst.Project().Approval()
	fmt.Fprintf(&b, "approval.mode: %s (%s)\n", mode, oneLine(origin))
	workers := inst.Project().Used()
	list, _ := inst.Workers()
	for _, l := range list {
		if w, err := inst.Project().WorkerAt(l.Path); l.Source == "built-in" && err == nil {
			workers = append(workers, w)
		}
	}
	sorting.By(workers, func(a, b *project.Worker) int { return strings.Compare(a.ID, b.ID) })
	for _, w := range workers {
		b.WriteString("\n" + oneLine(w.ID) + " (" + oneLine(w.File) + ")\n")
		for line := range strings.Lines(describe.ValuesText(inst.Project().Values(w))) {
			b.WriteString("  " + line)
		}
		for _, t := range inst.Tools(context.Background(), w) {
			if len(t.Uses) > 0 {
				from := t.Module
				if from == "" {
					from = "toolset " + t.Toolset
				}
				fmt.Fprintf(&b, "  tool %s can call: %s (%s)\n", oneLine(t.Name), oneLine(strings.Join(t.Uses, ", ")), oneLine(from))
			}
		}
	}
	b.WriteString("\n")
	return b.String()
}
