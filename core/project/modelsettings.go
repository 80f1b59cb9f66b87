package project

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golem/core/fault"
)

// modelSettingsShape are the settings of a model (SPEC §10); each maps to what
// a provider calls it.
func modelSettingsShape() *shape {
	stop := listOf(textShape(nil))
	stop.rewrite = func(_ *conformer, n *node, _ string) *node {
		if n.kind == scalar && n.tag == tagText {
			return &node{at: n.at, kind: list, items: []*node{n}}
		}
		return n
	}
	extra := mapOf(&shape{any: true})
	extra.key = func(name string) string {
		if instead, own := golemsOwn[name]; own {
			return strings.TrimSuffix("is golem's own to set; "+instead, "; ")
		}
		return nameProblem(name)
	}
	s := keysOf(map[string]*shape{
		"temperature": numberShape(0, 2), "top_p": numberShape(0, 1), "max_output_tokens": countShape(1, 1e9),
		"reasoning_effort": wordShape("none", "minimal", "low", "medium", "high", "xhigh", "max"),
		"seed":             countShape(math.MinInt32, math.MaxInt64), "stop": stop, "parallel_tool_calls": flagShape(),
		"service_tier": textShape(nameProblem), "verbosity": wordShape("low", "medium", "high"), "cache": flagShape(),
		"extra": extra,
	})
	s.others = foreignModelSettings
	return s
}

// golemsOwn are members of a request that extra may not set, and what does it
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

// numberShape is a number between two others.
func numberShape(least, most float64) *shape {
	return scalarShape("a number", func(n *node) (string, string) {
		if n.tag != tagInt && n.tag != tagFloat {
			return expected("a number", n)
		}
		f, err := strconv.ParseFloat(n.text, 64)
		if err != nil || !(f >= least && f <= most) {
			return fmt.Sprintf("%s is not between %v and %v", brief(n.text), least, most), ""
		}
		return "", ""
	})
}

// modelSettings are the worker's, as JSON; nil without any.
func (b *built) modelSettings() {
	n := b.eff.get("model_settings")
	if n == nil || len(n.fields) == 0 {
		return
	}
	raw, err := n.json()
	if err != nil {
		b.add(fault.Of(err, fault.Config))
		return
	}
	b.w.ModelSettings = raw
}

// Extras returns what the project's files add to each request of a worker's
// model (model_settings.extra), one value a member. What a person said is not
// among it.
func (p *Project) Extras(w *Worker) []Said {
	extra := w.eff.path("model_settings", "extra")
	if extra == nil {
		return nil
	}
	var out []Said
	for _, f := range extra.fields {
		if slices.Contains([]string{p.manifest.File, w.File}, f.value.at.file) {
			out = append(out, f.value.said("model_settings.extra."+f.name, f.name))
		}
	}
	return out
}

// SettingAt is where a worker's setting of a model stands.
func (w *Worker) SettingAt(name string) (file string, line int) {
	n := w.eff.path("model_settings", name)
	if n == nil {
		return w.File, 0
	}
	return n.at.file, n.at.line
}

// settings are those of the person's config under the key that workers have it.
func (c *Config) settings() *node {
	n := c.get("model_settings")
	if n == nil {
		return nil
	}
	return &node{at: n.at, kind: dict, fields: []field{{"model_settings", n.at, n}}}
}
