package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golem/core"
	"golem/core/project"
	"golem/core/tool"
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
// origin, and what its tools can call: check --verbose (SPEC §3, scenario 4).
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
		values["approval.mode"] = string(mode)
		for _, key := range slices.Sorted(maps.Keys(w.Origins)) {
			value, ok := values[key]
			if !ok {
				value = "set" // a map whose entries are listed one by one
			}
			fmt.Fprintf(&b, "  %s: %s (%s)\n", oneLine(key), value, oneLine(w.Origins[key]))
		}
		for _, t := range inst.Tools(context.Background(), w) {
			if len(t.Uses) > 0 {
				fmt.Fprintf(&b, "  tool %s can call: %s (%s)\n", oneLine(t.Name), oneLine(strings.Join(t.Uses, ", ")), oneLine(madeBy(t)))
			}
		}
	}
	b.WriteString("\n")
	return b.String()
}

// madeBy names where a tool comes from: its module, else its toolset.
func madeBy(t tool.Spec) string {
	if t.Module != "" {
		return t.Module
	}
	return "toolset " + t.Toolset
}

// effective are a worker's values by their dotted path.
func effective(w *project.Worker) map[string]string {
	v := plainValues(w)
	v["sandbox.root"] = "not mounted"
	for _, m := range w.Sandbox.Mounts {
		at := "sandbox.paths." + m.Name
		if m.Name == "root" {
			v["sandbox.root"] = oneLine(m.Source)
		}
		v[at+".root"], v[at+".mode"] = oneLine(m.Source), string(m.Mode)
		v[at+".suffixes"], v[at+".max_file_bytes"] = oneLine(strings.Join(m.Suffixes, ", ")), fmt.Sprint(m.MaxFileBytes)
		for op, setting := range m.Approval {
			v[at+".approval."+op] = string(setting)
		}
	}
	for _, t := range w.Toolsets {
		v["toolsets."+t.Name] = "{}"
		var options any
		if json.Unmarshal(t.Options, &options) == nil {
			flatten(v, "toolsets."+t.Name, options)
		}
		v["toolsets."+t.Name+".approval.default"] = string(w.Policy.WorkerDefaults[t.Name])
		for name, setting := range w.Policy.WorkerTools {
			v["toolsets."+t.Name+".approval.tools."+name] = string(setting)
		}
	}
	var settings any
	if json.Unmarshal(w.ModelSettings, &settings) == nil {
		flatten(v, "model_settings", settings)
	}
	for name, setting := range w.Policy.WorkerTools {
		v["tool_rules."+name] = string(setting)
	}
	v["toolsets.workers.allowed_workers"] = oneLine(strings.Join(w.Delegates.Refs, ", "))
	v["toolsets.workers.style"] = w.Delegates.Style
	v["allow_workers"] = v["toolsets.workers.allowed_workers"]
	return v
}

// flatten puts a value and, if it is a map, everything below it under its path.
func flatten(v map[string]string, at string, value any) {
	if m, ok := value.(map[string]any); ok {
		for name, below := range m {
			flatten(v, at+"."+name, below)
		}
	}
	if data, err := json.Marshal(value); err == nil {
		v[at] = oneLine(string(data))
	}
}

// plainValues are the values that are always there.
func plainValues(w *project.Worker) map[string]string {
	model := strings.Join(append([]string{w.Model}, w.Fallbacks...), ", ")
	if model == "" {
		model = "none"
	}
	return map[string]string{
		"name": oneLine(w.Name), "description": oneLine(w.Description), "mode": w.Mode, "model": oneLine(model),
		"compatible_models":     oneLine(strings.Join(w.CompatibleModels, ", ")),
		"instructions":          fmt.Sprintf("%d bytes", len(w.Instructions)),
		"template":              fmt.Sprint(w.Template),
		"input_schema":          oneLine(string(w.Input)),
		"output_schema":         oneLine(string(w.Output)),
		"imports.workers":       oneLine(strings.Join(w.Imports.Workers, ", ")),
		"imports.tools":         oneLine(strings.Join(w.Imports.Tools, ", ")),
		"allow_empty_input":     fmt.Sprint(w.AllowEmptyInput),
		"max_context_tokens":    fmt.Sprint(w.MaxContextTokens),
		"limits.turns":          fmt.Sprint(w.Limits.Turns),
		"limits.tokens":         fmt.Sprint(w.Limits.Tokens),
		"limits.cost":           w.Limits.Cost.String(),
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

		"attachment_policy.max_attachments":  fmt.Sprint(w.Attachments.MaxAttachments),
		"attachment_policy.allowed_suffixes": oneLine(strings.Join(w.Attachments.AllowedSuffixes, ", ")),
		"attachment_policy.denied_suffixes":  oneLine(strings.Join(w.Attachments.DeniedSuffixes, ", ")),
		"attachment_policy.max_total_bytes":  fmt.Sprint(w.Attachments.MaxTotalBytes),
	}
}
