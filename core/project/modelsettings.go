package project

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

// modelSettingsShape returns the shape of model_settings (SPEC §10).
func modelSettingsShape() *yamltree.Shape {
	stop := yamltree.ListOf(yamltree.Text(nil))
	stop.Rewrite = func(_ *yamltree.Conformer, n *yamltree.Node, _ string) *yamltree.Node {
		if n.Kind == yamltree.Scalar && n.Tag == yamltree.TagText {
			return &yamltree.Node{Pos: n.Pos, Kind: yamltree.List, Items: []*yamltree.Node{n}}
		}
		return n
	}
	extra := yamltree.MapOf(&yamltree.Shape{Any: true})
	extra.Key = func(name string) string {
		if instead, own := golemsOwn[name]; own {
			return strings.TrimSuffix("is set by golem itself; "+instead, "; ")
		}
		return yamltree.NameProblem(name)
	}
	s := yamltree.KeysOf(map[string]*yamltree.Shape{
		"temperature": numberShape(0, 2), "top_p": numberShape(0, 1), "max_output_tokens": yamltree.Count(1, 1e9),
		"reasoning_effort": yamltree.OneOf("none", "minimal", "low", "medium", "high", "xhigh", "max"),
		"seed":             yamltree.Count(math.MinInt32, math.MaxInt64), "stop": stop, "parallel_tool_calls": yamltree.Flag(),
		"service_tier": yamltree.Text(yamltree.NameProblem), "verbosity": yamltree.OneOf("low", "medium", "high"), "cache": yamltree.Flag(),
		"extra": extra,
	})
	s.Foreign = foreign(s, foreignModelSettings)
	return s
}

// golemsOwn has the members of a request that extra may not set, with what to write
// instead.
var golemsOwn = map[string]string{
	"model": "write model:", "messages": "", "input": "", "instructions": "", "system": "", "prompt": "", "stream": "", "stream_options": "",
	"tools": "write toolsets:", "functions": "write toolsets:", "response_format": "write output_schema:", "text": "write output_schema:",
	"store": "", "include": "", "previous_response_id": "", "conversation": "", "n": "",
	"temperature": "write model_settings.temperature", "top_p": "write model_settings.top_p", "seed": "write model_settings.seed",
	"max_tokens": "write model_settings.max_output_tokens", "max_completion_tokens": "write model_settings.max_output_tokens",
	"max_output_tokens": "write model_settings.max_output_tokens", "stop": "write model_settings.stop", "stop_sequences": "write model_settings.stop",
	"reasoning_effort": "write model_settings.reasoning_effort", "reasoning": "write model_settings.reasoning_effort",
	"parallel_tool_calls": "write model_settings.parallel_tool_calls", "service_tier": "write model_settings.service_tier",
	"verbosity": "write model_settings.verbosity",
}

// numberShape returns the shape of a number from least to most, both included.
func numberShape(least, most float64) *yamltree.Shape {
	return yamltree.ScalarOf("a number", func(n *yamltree.Node) (string, string) {
		if n.Tag != yamltree.TagInt && n.Tag != yamltree.TagFloat {
			return yamltree.Expected("a number", n)
		}
		f, err := strconv.ParseFloat(n.Text, 64)
		if err != nil || !(f >= least && f <= most) {
			return fmt.Sprintf("%s is not between %v and %v", fault.Brief(n.Text), least, most), ""
		}
		return "", ""
	})
}

// modelSettings sets the worker's ModelSettings.
func (b *built) modelSettings() {
	n := b.eff.Get("model_settings")
	if n == nil || len(n.Fields) == 0 {
		return
	}
	raw, err := n.JSON()
	if err != nil {
		b.add(fault.Of(err, fault.Config))
		return
	}
	b.w.ModelSettings = raw
}

// Extras returns the model_settings.extra of the project's files, which golem adds to
// each request to a worker's model: one Said for each key, also if only a part of its value
// is from a file. It leaves out those of flags and of the person's configuration.
func (p *Project) Extras(w *Worker) []Said {
	extra := w.eff.Path("model_settings", "extra")
	if extra == nil {
		return nil
	}
	files := []string{p.manifest.File, w.File}
	if s := p.sourceOf(p.place(w.File)); s.name != "" { // a library's manifest has defaults for its workers
		files = append(files, location{s.name, s.manifest.File}.String())
	}
	var out []Said
	for _, f := range extra.Fields {
		if slices.ContainsFunc(files, f.Value.StandsIn) {
			out = append(out, said(f.Value, "model_settings.extra."+f.Name, f.Name))
		}
	}
	return out
}

// SettingAt returns the position of one of a worker's model_settings; line 0 if it is
// not set.
func (w *Worker) SettingAt(name string) (file string, line int) {
	n := w.eff.Path("model_settings", name)
	if n == nil {
		return w.File, 0
	}
	return n.Pos.File, n.Pos.Line
}

// settings returns the model settings of the person's config below the key
// model_settings, as a worker file has them.
func (c *Config) settings() *yamltree.Node {
	n := c.get("model_settings")
	if n == nil {
		return nil
	}
	return &yamltree.Node{Pos: n.Pos, Kind: yamltree.Mapping, Fields: []yamltree.Field{{Name: "model_settings", Pos: n.Pos, Value: n}}}
}
