package project

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"golem/core/fault"
	"golem/core/yamltree"
)

// inherited are the manifest's keys that are merged into each worker.
var inherited = []string{"toolsets", "sandbox", "limits", "retry", "delegation", "model_settings", "vars"}

// built is the state of making a worker from its definition.
type built struct {
	p      *Project
	d      *definition
	eff    *yamltree.Node // manifest and worker merged
	w      *Worker
	faults fault.List

	settled map[string]yamltree.Pos // the position of each tool's setting
}

func (b *built) add(f *fault.Fault) { b.faults = append(b.faults, f) }

// build makes the worker: merge, precedence, defaults (SPEC §3).
func (p *Project) build(d *definition) (*Worker, *yamltree.Node, fault.List) {
	own := d.node
	defaults := yamltree.Merge(p.src.Config.settings(), p.defaults)
	switch s := p.sourceOf(d.location); {
	case s.bare:
		defaults = without(defaults, "toolsets", "tool_rules", "sandbox", "vars")
	case s.library != "": // its tools and vars are what its own files say
		defaults = yamltree.Merge(without(defaults, "toolsets", "vars"), without(s.defaults, "sandbox"))
	}
	eff := yamltree.Merge(defaults, own)
	eff = yamltree.Merge(eff, p.word(p.sourceOf(d.location).library, eff))
	b := &built{p: p, d: d, eff: yamltree.Merge(eff, p.flags)}
	for _, name := range []string{"delegation", "retry"} { // below the manifest
		if n := p.src.Config.get(name); n != nil {
			b.eff = yamltree.Merge(&yamltree.Node{Pos: n.Pos, Kind: yamltree.Mapping, Fields: []yamltree.Field{{Name: name, Pos: n.Pos, Value: n}}}, b.eff)
		}
	}
	sum := sha256.Sum256(d.hashed)
	n := b.eff
	b.w = &Worker{
		ID: p.idIn(d.location, d.id), Name: d.id, File: d.String(), Source: p.sourceOf(d.location).label, Digest: hex.EncodeToString(sum[:]),
		Description: own.Get("description").String(), Instructions: d.text,
		Mode: "single", CompatibleModels: own.Get("compatible_models").Texts(),
		Imports: Imports{
			Workers: own.Path("imports", "workers").Texts(), Tools: own.Path("imports", "tools").Texts(),
		},
		AllowEmptyInput: own.Get("allow_empty_input").Flag(), MaxContextTokens: own.Get("max_context_tokens").Count(0),
		Limits: limits(n.Get("limits")), Retry: Retry{n.Path("retry", "attempts").Count(3)},
		Delegation: delegation(n.Get("delegation")), Attachments: attachments(own.Get("attachment_policy")),
		Origins: map[string]string{},
	}
	if name := own.Get("name"); name != nil {
		b.w.Name = name.Text
	}
	if mode := own.Get("mode"); mode != nil {
		b.w.Mode = mode.Text
	}
	b.serverFile()
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
	b.outputFrom()
	return b.w, b.eff, b.faults
}

// outputFrom sets the worker's OutputFrom. The field that output_schema_from names must
// be in input_schema, with type object.
func (b *built) outputFrom() {
	n := b.d.node.Get("output_schema_from")
	if n == nil {
		return
	}
	var input struct {
		Properties map[string]struct {
			Type json.RawMessage `json:"type"`
		} `json:"properties"`
	}
	err := json.Unmarshal(b.w.Input, &input)
	if string(input.Properties[n.Text].Type) != `"object"` || err != nil {
		b.add(n.Pos.Fault(fault.Config, "output_schema_from: input_schema has no field %s of type object", fault.Quoted(n.Text)).
			Hinting("declare it: properties: {%s: {type: object}}", fault.Brief(n.Text)))
		return
	}
	b.w.OutputFrom = n.Text
}

// without returns a mapping, or nil, without some keys.
func without(n *yamltree.Node, keys ...string) *yamltree.Node {
	for _, key := range keys {
		if n.Get(key) != nil {
			n = n.With(key, nil)
		}
	}
	return n
}

// template decides whether the instructions are rendered: a text with template syntax
// is, and one whose worker says template: true (SPEC §4).
func (b *built) template() {
	key := b.d.node.Get("template")
	b.w.Template = firstOf(b.d.text, "{{", "{%", "{#") >= 0 || key != nil
	if key != nil && !key.Flag() {
		b.w.Template = false
	}
	b.w.TextFile, b.w.TextLine = b.d.textAt.File, b.d.textAt.Line
	b.w.TextShifted = b.d.node.Get("instructions") != nil
	n := b.eff.Get("vars")
	if n == nil {
		return
	}
	raw, err := n.JSON()
	if err != nil {
		b.add(fault.Of(err, fault.Config))
		return
	}
	b.w.Vars = raw
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

func limits(n *yamltree.Node) Limits {
	l := Limits{
		Turns: n.Get("turns").Count(200), Tokens: n.Get("tokens").Count(0),
		ToolTimeout: 30 * time.Second, WorkerTimeout: 10 * time.Minute, ModelTimeout: 2 * time.Minute, ToolOutput: 50_000,
	}
	for key, target := range map[string]*time.Duration{
		"tool_timeout": &l.ToolTimeout, "worker_timeout": &l.WorkerTimeout, "model_timeout": &l.ModelTimeout,
	} {
		if v := n.Get(key); v != nil {
			*target, _ = v.Duration()
		}
	}
	l.Cost = dollars(n.Get("cost"), 0)
	if v := n.Get("tool_output"); v != nil {
		l.ToolOutput, _ = v.Size()
	}
	return l
}

func delegation(n *yamltree.Node) Delegation {
	return Delegation{
		MaxDepth: n.Get("max_depth").Count(5), WarnDepth: n.Get("warn_depth").Count(3),
		Parallel: n.Get("parallel").Count(8), AllowRecursion: n.Get("allow_recursion").Flag(),
	}
}

func attachments(n *yamltree.Node) AttachmentPolicy {
	a := AttachmentPolicy{
		Set:            n != nil,
		MaxAttachments: n.Get("max_attachments").Count(4), MaxTotalBytes: 10_000_000,
		AllowedSuffixes: suffixes(n.Get("allowed_suffixes")), DeniedSuffixes: suffixes(n.Get("denied_suffixes")),
	}
	if v := n.Get("max_total_bytes"); v != nil {
		a.MaxTotalBytes, _ = v.Size()
	}
	return a
}

func (b *built) depth() {
	if d := b.p.src.Flags.MaxDepth; d != nil {
		b.w.Delegation.MaxDepth = *d
		b.w.Origins["delegation.max_depth"] = CommandLine
	}
}
