package project

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"golem/core/fault"
)

// inherited are the manifest's keys that are merged into each worker.
var inherited = []string{"toolsets", "sandbox", "limits", "retry", "delegation", "model_settings"}

// built is what making a worker from its definition needs to share.
type built struct {
	p      *Project
	d      *definition
	eff    *node // manifest and worker merged
	w      *Worker
	faults fault.List

	settled map[string]at // where each tool's setting stands
}

func (b *built) add(f *fault.Fault) { b.faults = append(b.faults, f) }

// build makes the worker: merge, precedence, defaults (SPEC §3).
func (p *Project) build(d *definition) (*Worker, *node, fault.List) {
	own := d.node
	b := &built{p: p, d: d, eff: merge(merge(merge(p.src.Config.settings(), p.defaults), own), p.flags)}
	if n := p.src.Config.get("delegation"); n != nil { // below the manifest
		b.eff = merge(&node{at: n.at, kind: dict, fields: []field{{"delegation", n.at, n}}}, b.eff)
	}
	sum := sha256.Sum256(d.hashed)
	n := b.eff
	b.w = &Worker{
		ID: d.id, Name: d.id, File: d.String(), Source: d.source(), Digest: hex.EncodeToString(sum[:]),
		Description: own.get("description").string(), Instructions: d.text,
		Mode: "single", CompatibleModels: own.get("compatible_models").texts(),
		Imports: Imports{
			Workers: own.path("imports", "workers").texts(), Tools: own.path("imports", "tools").texts(),
		},
		AllowEmptyInput: own.get("allow_empty_input").flag(), MaxContextTokens: own.get("max_context_tokens").count(0),
		Limits: limits(n.get("limits")), Retry: Retry{n.path("retry", "attempts").count(3)},
		Delegation: delegation(n.get("delegation")), Attachments: attachments(own.get("attachment_policy")),
		Origins: map[string]string{},
	}
	if name := own.get("name"); name != nil {
		b.w.Name = name.text
	}
	if mode := own.get("mode"); mode != nil {
		b.w.Mode = mode.text
	}
	b.traceOrigins()
	b.template()
	b.model()
	b.modelSettings()
	b.depth()
	b.ceilings()
	b.toolsets()
	b.policy()
	b.sandbox()
	b.w.eff = b.eff
	b.w.Input = b.schema("input_schema")
	b.w.Output = b.schema("output_schema")
	return b.w, b.eff, b.faults
}

func (l location) source() string {
	if l.builtin {
		return "built-in"
	}
	return "project"
}

// template refuses what only templates could render: such a body is never
// passed through (SPEC §4). template: false makes it plain text.
func (b *built) template() {
	key := b.d.node.get("template")
	if key != nil && !key.flag() {
		return
	}
	where := b.d.textAt
	i := firstOf(b.d.text, "{{", "{%", "{#")
	switch {
	case i >= 0:
		before := b.d.text[:i]
		where.line += strings.Count(before, "\n")
		if start := strings.LastIndexByte(before, '\n') + 1; start > 0 || where.column == 1 {
			where.column = 1 + len([]rune(before[start:]))
		}
	case key != nil:
		where = key.at
	default:
		return
	}
	b.w.Template = true
	b.add(where.fault(fault.Template, "templates: not in this version").
		Hinting("write template: false to use the text as it stands"))
}

func firstOf(s string, marks ...string) int {
	first := -1
	for _, m := range marks {
		if i := strings.Index(s, m); i >= 0 && (first < 0 || i < first) {
			first = i
		}
	}
	return first
}

func limits(n *node) Limits {
	l := Limits{
		Turns: n.get("turns").count(200), Tokens: n.get("tokens").count(0),
		ToolTimeout: 30 * time.Second, WorkerTimeout: 10 * time.Minute, ModelTimeout: 2 * time.Minute, ToolOutput: 50_000,
	}
	for key, target := range map[string]*time.Duration{
		"tool_timeout": &l.ToolTimeout, "worker_timeout": &l.WorkerTimeout, "model_timeout": &l.ModelTimeout,
	} {
		if v := n.get(key); v != nil {
			*target, _ = v.duration()
		}
	}
	if v := n.get("tool_output"); v != nil {
		l.ToolOutput, _ = v.size()
	}
	return l
}

func delegation(n *node) Delegation {
	return Delegation{
		MaxDepth: n.get("max_depth").count(5), WarnDepth: n.get("warn_depth").count(3),
		Parallel: n.get("parallel").count(8), AllowRecursion: n.get("allow_recursion").flag(),
	}
}

func attachments(n *node) AttachmentPolicy {
	a := AttachmentPolicy{
		MaxAttachments: n.get("max_attachments").count(4), MaxTotalBytes: 10_000_000,
		AllowedSuffixes: n.get("allowed_suffixes").suffixes(), DeniedSuffixes: n.get("denied_suffixes").suffixes(),
	}
	if v := n.get("max_total_bytes"); v != nil {
		a.MaxTotalBytes, _ = v.size()
	}
	return a
}

func (b *built) depth() {
	if d := b.p.src.Flags.MaxDepth; d != nil {
		b.w.Delegation.MaxDepth = *d
		b.w.Origins["delegation.max_depth"] = fromFlag
	}
}
