package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golem/core"
	"golem/core/project"
)

// workerRows are the columns of golem workers.
func workerRows(list []project.Listing) [][]string {
	rows := [][]string{{"ID", "PATH", "SOURCE", "DESCRIPTION", "SHADOWED"}}
	for _, l := range list {
		rows = append(rows, []string{oneLine(l.ID), oneLine(l.Path), oneLine(l.Source), oneLine(l.Description), oneLine(strings.Join(l.Shadowed, ", "))})
	}
	return rows
}

// effectiveValues are the effective values of every worker, each with its
// origin: check --verbose (SPEC §3, scenario 4).
func effectiveValues(inst *core.Instance) string {
	var b strings.Builder
	mode, origin, _ := inst.Project().Approval()
	fmt.Fprintf(&b, "approval.mode: %s (%s)\n", mode, oneLine(origin))
	list, _ := inst.Workers()
	for _, l := range list {
		ref := "./" + l.Path
		if l.Source != "project" {
			ref = l.ID
		}
		w, err := inst.Project().Worker(ref)
		if err != nil {
			continue // its faults are listed
		}
		b.WriteString("\n" + oneLine(w.ID) + " (" + oneLine(w.File) + ")\n")
		values := effective(w)
		for _, key := range slices.Sorted(maps.Keys(w.Origins)) {
			value, ok := values[key]
			if !ok {
				value = "set"
			}
			fmt.Fprintf(&b, "  %s: %s (%s)\n", oneLine(key), value, oneLine(w.Origins[key]))
		}
	}
	b.WriteString("\n")
	return b.String()
}

// effective are a worker's plain values by their dotted path.
func effective(w *project.Worker) map[string]string {
	model := w.Model
	if model == "" {
		model = "none"
	}
	return map[string]string{
		"name": oneLine(w.Name), "description": oneLine(w.Description), "mode": w.Mode, "model": oneLine(model),
		"compatible_models":     oneLine(strings.Join(w.CompatibleModels, ", ")),
		"allow_empty_input":     fmt.Sprint(w.AllowEmptyInput),
		"max_context_tokens":    fmt.Sprint(w.MaxContextTokens),
		"limits.turns":          fmt.Sprint(w.Limits.Turns),
		"limits.tokens":         fmt.Sprint(w.Limits.Tokens),
		"limits.tool_timeout":   w.Limits.ToolTimeout.String(),
		"limits.worker_timeout": w.Limits.WorkerTimeout.String(),
		"limits.model_timeout":  w.Limits.ModelTimeout.String(),
		"limits.tool_output":    fmt.Sprint(w.Limits.ToolOutput),
		"retry.attempts":        fmt.Sprint(w.Retry.Attempts),

		"delegation.max_depth":       fmt.Sprint(w.Delegation.MaxDepth),
		"delegation.warn_depth":      fmt.Sprint(w.Delegation.WarnDepth),
		"delegation.parallel":        fmt.Sprint(w.Delegation.Parallel),
		"delegation.allow_recursion": fmt.Sprint(w.Delegation.AllowRecursion),

		"sandbox.restrict":        oneLine(w.Sandbox.Restrict),
		"sandbox.readonly":        fmt.Sprint(w.Sandbox.ReadOnly),
		"sandbox.network_enabled": fmt.Sprint(w.Sandbox.Network),

		"attachment_policy.max_attachments": fmt.Sprint(w.Attachments.MaxAttachments),
		"attachment_policy.max_total_bytes": fmt.Sprint(w.Attachments.MaxTotalBytes),
	}
}
