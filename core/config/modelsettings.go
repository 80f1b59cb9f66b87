package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

// modelSettingsShape returns the shape of model_settings (SPEC §10).
func modelSettingsShape() *yamltree.Shape {
	stop := yamltree.ListOf(yamltree.Text(nil))
	stop.Or = []string{`{"type": "string"}`}
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
		"temperature": key("How freely the model chooses its words; 0: as little as possible.", numberShape(0, 2)), "top_p": key("The model chooses among the most likely words that have this probability together.", numberShape(0, 1)), "max_output_tokens": key("Of one answer, reasoning included.", yamltree.Count(1, 1e9)),
		"reasoning_effort": key("How much the model reasons before it answers.", yamltree.OneOf("none", "minimal", "low", "medium", "high", "xhigh", "max")),
		"seed":             key("A number with which the provider tries to give the same answer again.", yamltree.Count(math.MinInt32, math.MaxInt64)), "stop": key("Texts at which the answer ends.", stop), "parallel_tool_calls": key("false: one call a turn.", yamltree.Flag()),
		"service_tier": key("The provider's class of service, by its own name.", yamltree.Text(yamltree.NameProblem)), "verbosity": key("How long the answers are.", yamltree.OneOf("low", "medium", "high")), "cache": key("false: golem asks the provider for no prompt caching.", yamltree.Flag()),
		"extra": key("Further members of each request, as they are. Counts only once a person trusted it.", extra),
	})
	s.Foreign = foreign(s, ForeignModelSettings)
	return named("modelSettings", s)
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
	return inJSON(fmt.Sprintf(`{"type": "number", "minimum": %v, "maximum": %v}`, least, most), yamltree.ScalarOf("a number", func(n *yamltree.Node) (string, string) {
		if n.Tag != yamltree.TagInt && n.Tag != yamltree.TagFloat {
			return yamltree.Expected("a number", n)
		}
		f, err := strconv.ParseFloat(n.Text, 64)
		if err != nil || !(f >= least && f <= most) {
			return fmt.Sprintf("%s is not between %v and %v", fault.Brief(n.Text), least, most), ""
		}
		return "", ""
	}))
}
