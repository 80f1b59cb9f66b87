package project

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/yamltree"
)

// built is the state of making a worker from its definition.
type built struct {
	ws     *Workers
	d      *Definition
	eff    *yamltree.Node // manifest and worker merged
	w      *Worker
	faults fault.List

	settled map[string]yamltree.Pos // the position of each tool's setting
}

func (b *built) add(f *fault.Fault) { b.faults = append(b.faults, f) }

// build makes the worker: merge, precedence, defaults (SPEC §3).
func (ws *Workers) build(d *Definition) (*Worker, *yamltree.Node, fault.List) {
	own := d.Node
	defaults := yamltree.Merge(ws.setup.Person.ModelSettings(), ws.trees.Own().Defaults)
	switch s := ws.trees.TreeOf(d.Location); {
	case s.Bare:
		defaults = config.Without(defaults, "toolsets", "tool_rules", "sandbox", "vars")
	case s.Library != "": // its tools and vars are what its own files say
		defaults = yamltree.Merge(config.Without(defaults, "toolsets", "vars"), config.Without(s.Defaults, "sandbox"))
	}
	eff := yamltree.Merge(defaults, own)
	eff = yamltree.Merge(eff, ws.trees.Own().word(ws.trees.TreeOf(d.Location).Library, eff))
	b := &built{ws: ws, d: d, eff: yamltree.Merge(eff, ws.given)}
	for _, name := range []string{"delegation", "retry"} { // below the manifest
		if n := ws.setup.Person.Get(name); n != nil {
			b.eff = yamltree.Merge(&yamltree.Node{Pos: n.Pos, Kind: yamltree.Mapping, Fields: []yamltree.Field{{Name: name, Pos: n.Pos, Value: n}}}, b.eff)
		}
	}
	sum := sha256.Sum256(d.Hashed)
	n := b.eff
	b.w = &Worker{
		ID: ws.trees.TreeOf(d.Location).idIn(d.ID), Name: d.ID, File: d.String(), Source: ws.trees.TreeOf(d.Location).Label, Digest: hex.EncodeToString(sum[:]),
		Description: own.Get("description").String(), Instructions: d.Text,
		Mode: "single", CompatibleModels: own.Get("compatible_models").Texts(),
		Imports: Imports{
			Workers: own.Path("imports", "workers").Texts(), Tools: own.Path("imports", "tools").Texts(),
		},
		Context:         own.Get("context").Texts(),
		AllowEmptyInput: own.Get("allow_empty_input").Flag(), MaxContextTokens: own.Get("max_context_tokens").Count(0),
		Limits: config.ReadLimits(n.Get("limits")), Retry: config.Retry{Attempts: n.Path("retry", "attempts").Count(3)},
		Delegation: config.ReadDelegation(n.Get("delegation")), Attachments: config.ReadAttachments(own.Get("attachment_policy")),
		Origins: map[string]string{},
	}
	if name := own.Get("name"); name != nil {
		b.w.Name = name.Text
	}
	if mode := own.Get("mode"); mode != nil {
		b.w.Mode = mode.Text
	}
	b.serverFile()
	b.givenServers()
	b.traceOrigins()
	b.template()
	b.model()
	b.modelSettings()
	b.depth()
	b.ceilings()
	b.toolsets()
	b.policy()
	b.sandbox()
	b.serverTools()
	b.networkless()
	b.w.eff = b.eff
	b.w.Input = b.schema("input_schema")
	b.w.Output = b.schema("output_schema")
	b.outputFrom()
	b.hardened()
	return b.w, b.eff, b.faults
}

// outputFrom sets the worker's OutputFrom. The field that output_schema_from names must
// be in input_schema, with type object.
func (b *built) outputFrom() {
	n := b.d.Node.Get("output_schema_from")
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

// template decides whether the instructions are rendered: a text with template syntax
// is, and one whose worker says template: true (SPEC §4).
func (b *built) template() {
	key := b.d.Node.Get("template")
	b.w.Template = firstOf(b.d.Text, "{{", "{%", "{#") >= 0 || key != nil
	if key != nil && !key.Flag() {
		b.w.Template = false
	}
	b.w.TextFile, b.w.TextLine = b.d.TextAt.File, b.d.TextAt.Line
	b.w.TextShifted = b.d.Node.Get("instructions") != nil
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

func (b *built) depth() {
	if d := b.ws.setup.Options.MaxDepth; d != nil {
		b.w.Delegation.MaxDepth = *d
		b.w.Origins["delegation.max_depth"] = config.CommandLine
	}
}
