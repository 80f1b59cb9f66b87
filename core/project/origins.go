package project

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/yamltree"
)

// traceOrigins sets Worker.Origins.
func (b *built) traceOrigins() {
	for _, v := range b.w.standing() {
		b.w.Origins[v.Path] = "default"
	}
	b.w.Origins["approval.mode"] = b.ws.approval.Origin
	b.eff.Walk("", func(path string, n *yamltree.Node) { b.w.Origins[path] = n.Pos.String() })
	b.w.Origins["instructions"] = b.d.TextAt.String()
}

// standing returns the settings that have a value even if no file sets them.
func (w *Worker) standing() []config.Value {
	number := strconv.Itoa
	span := func(d time.Duration) string {
		if d == 0 {
			return "0"
		}
		return d.String()
	}
	return []config.Value{
		{Path: "model", Value: strings.Join(append([]string{w.Model}, w.Fallbacks...), ", ")}, {Path: "mode", Value: w.Mode},
		{Path: "allow_empty_input", Value: strconv.FormatBool(w.AllowEmptyInput)},
		{Path: "max_context_tokens", Value: number(w.MaxContextTokens)},
		{Path: "retry.attempts", Value: number(w.Retry.Attempts)},
		{Path: "limits.turns", Value: number(w.Limits.Turns)},
		{Path: "limits.tool_timeout", Value: span(w.Limits.ToolTimeout)},
		{Path: "limits.worker_timeout", Value: span(w.Limits.WorkerTimeout)},
		{Path: "limits.model_timeout", Value: span(w.Limits.ModelTimeout)},
		{Path: "limits.tokens", Value: number(w.Limits.Tokens)},
		{Path: "limits.cost", Value: w.Limits.Cost.String()},
		{Path: "limits.tool_output", Value: strconv.FormatInt(w.Limits.ToolOutput, 10)},
		{Path: "delegation.max_depth", Value: number(w.Delegation.MaxDepth)},
		{Path: "delegation.warn_depth", Value: number(w.Delegation.WarnDepth)},
		{Path: "delegation.parallel", Value: number(w.Delegation.Parallel)},
		{Path: "delegation.allow_recursion", Value: strconv.FormatBool(w.Delegation.AllowRecursion)},
		{Path: "attachment_policy.max_attachments", Value: number(w.Attachments.MaxAttachments)},
		{Path: "attachment_policy.max_total_bytes", Value: strconv.FormatInt(w.Attachments.MaxTotalBytes, 10)},
		{Path: "sandbox.root", Value: w.root()},
		{Path: "sandbox.readonly", Value: strconv.FormatBool(w.Sandbox.ReadOnly)},
		{Path: "sandbox.network_enabled", Value: strconv.FormatBool(w.Sandbox.Network)},
		{Path: "toolsets.workers.style", Value: w.Delegates.Style},
	}
}

// root returns the source of the mount at /; "" if there is none.
func (w *Worker) root() string {
	for _, m := range w.Sandbox.Mounts {
		if m.Target == "/" {
			return m.Source
		}
	}
	return ""
}

// Values returns all effective settings of a worker except its instructions, sorted
// by path, for check --verbose.
func (p *Project) Values(w *Worker) []config.Value {
	values := map[string]string{}
	w.eff.Walk("", func(path string, n *yamltree.Node) {
		raw, err := n.JSON()
		if err != nil {
			raw = []byte(fault.Of(err, fault.Config).Message)
		}
		values[path] = string(raw)
	})
	for _, v := range w.standing() {
		values[v.Path] = v.Value
	}
	values["approval.mode"] = string(p.Workers.approval.Mode)
	delete(values, "instructions")
	var out []config.Value
	for _, path := range slices.Sorted(maps.Keys(values)) {
		out = append(out, config.Value{Path: path, Value: values[path], Origin: w.Origins[path]})
	}
	return out
}
