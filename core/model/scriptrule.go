package model

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"golem/core/fault"
)

func (s *scriptFile) rules(n *yaml.Node) []rule {
	var out []rule
	for _, item := range s.list(n, "the rules of a worker") {
		out = append(out, s.rule(item))
	}
	return out
}

// rule reads one rule: its condition, its answer and its faults.
func (s *scriptFile) rule(n *yaml.Node) rule {
	before := len(s.faults)
	keys := s.mapping(n, "a rule", ruleKeys)
	r := rule{line: n.Line, cut: -1}
	if v := keys["when"]; v != nil {
		r.when = s.condition(v)
	}
	if v := keys["once"]; v != nil {
		r.once = s.truth(v, "once")
		if r.when == nil {
			s.bad(v, "remove once: or add when:", "once: has no effect on a step without when")
		}
	}
	if v := keys["say"]; v != nil {
		r.say = s.text(v, "say")
	}
	if v := keys["calls"]; v != nil {
		r.calls = s.calls(v)
	}
	if v := keys["raw_args"]; v != nil {
		s.rawArgs(v, r.calls)
	}
	s.faultKeys(&r, keys)
	if v := keys["usage"]; v != nil {
		r.usage = s.usage(v)
	}
	if len(s.faults) == before && keys["say"] == nil && len(r.calls) == 0 && r.fail == nil && !r.hang && r.cut < 0 {
		s.bad(n, "add say: or calls:", "the rule has no answer")
	}
	s.references(n, r)
	return r
}

func (s *scriptFile) faultKeys(r *rule, keys map[string]*yaml.Node) {
	if v := keys["fail"]; v != nil {
		r.fail = s.fail(v)
	}
	if v := keys["hang"]; v != nil {
		r.hang = s.truth(v, "hang")
	}
	if v := keys["cut"]; v != nil {
		r.cut = s.integer(v, "cut", 0, maxScript)
	}
	if v := keys["delay"]; v != nil {
		r.delay = s.duration(v, "delay")
	}
}

func (s *scriptFile) condition(n *yaml.Node) *condition {
	keys := s.mapping(n, "when", whenKeys)
	c := &condition{}
	if v := keys["text"]; v != nil {
		c.text = s.text(v, "text")
	}
	if v := keys["match"]; v != nil {
		c.match = s.regexp(v, "match")
	}
	if v := keys["tool"]; v != nil {
		c.tool = s.text(v, "tool")
	}
	if v := keys["error"]; v != nil {
		c.code = s.text(v, "error")
		known := make([]string, 0, len(fault.Codes()))
		for _, code := range fault.Codes() {
			known = append(known, string(code))
		}
		if !slices.Contains(known, c.code) {
			hint := "write a code such as E_NOT_FOUND"
			if near := fault.Nearest(c.code, known); near != "" {
				hint = "did you mean " + near
			}
			s.bad(v, hint, "there is no error code %q", c.code)
		}
	}
	if v := keys["system"]; v != nil {
		c.system = s.regexp(v, "system")
	}
	if v := keys["turn"]; v != nil {
		c.turn = s.integer(v, "turn", 1, 1<<30)
	}
	return c
}

func (s *scriptFile) calls(n *yaml.Node) []scripted {
	var out []scripted
	for _, item := range s.list(n, "calls") {
		keys := s.mapping(item, "a call", callKeys)
		c := scripted{}
		if v := keys["tool"]; v != nil {
			c.tool = s.text(v, "tool")
		}
		if c.tool == "" {
			s.bad(item, "add tool: NAME", "the call has no tool")
		}
		if v := keys["args"]; v != nil {
			c.args = s.value(v, 0)
		}
		if v := keys["raw_args"]; v != nil {
			c.raw, c.set = s.text(v, "raw_args"), true
			if keys["args"] != nil {
				s.bad(v, "keep one of them", "the call has both args and raw_args")
			}
		}
		out = append(out, c)
	}
	return out
}

// rawArgs gives a rule's raw_args to those of its calls that say nothing else.
func (s *scriptFile) rawArgs(n *yaml.Node, calls []scripted) {
	text, used := s.text(n, "raw_args"), false
	for i := range calls {
		if c := &calls[i]; c.args == nil && !c.set {
			c.raw, c.set, used = text, true, true
		}
	}
	if !used {
		s.bad(n, "add calls: [{tool: NAME}]", "raw_args needs a call without args")
	}
}

func (s *scriptFile) fail(n *yaml.Node) *failure {
	keys := s.mapping(n, "fail", failKeys)
	if keys["status"] == nil {
		s.bad(n, "add status: 429", "fail has no status")
		return &failure{}
	}
	status := s.integer(keys["status"], "status", 400, 599)
	f := &failure{status: status, retry: retriable(status)}
	f.message = fmt.Sprintf("the script fails here (%d)", status)
	if text := http.StatusText(status); text != "" {
		f.message = fmt.Sprintf("the script fails here (%d %s)", status, strings.ToLower(text))
	}
	if v := keys["retry_after"]; v != nil {
		f.retryAfter = s.duration(v, "retry_after")
	}
	return f
}

func (s *scriptFile) usage(n *yaml.Node) *Usage {
	keys := s.mapping(n, "usage", usageKeys)
	u := &Usage{}
	if v := keys["in"]; v != nil {
		u.In = s.integer(v, "in", 0, 1<<40)
	}
	if v := keys["out"]; v != nil {
		u.Out = s.integer(v, "out", 0, 1<<40)
	}
	return u
}

// references refuses $1 and ${name} that no group of match stands behind.
func (s *scriptFile) references(n *yaml.Node, r rule) {
	g := groups{}
	if r.when != nil {
		g.re = r.when.match
	}
	check := func(text string) {
		if ref := g.unknown(text); ref != "" {
			s.bad(n, "write $$ for a dollar sign", "%s does not refer to a group of match", ref)
		}
	}
	check(r.say)
	for _, c := range r.calls {
		check(c.raw)
		eachString(c.args, check)
	}
}

func eachString(v any, f func(string)) {
	switch v := v.(type) {
	case string:
		f(v)
	case []any:
		for _, e := range v {
			eachString(e, f)
		}
	case map[string]any:
		for _, e := range v {
			eachString(e, f)
		}
	}
}
