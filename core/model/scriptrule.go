package model

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

func (s *scriptFile) rules(n *yamltree.Node) []rule {
	out := make([]rule, len(n.Items))
	for i, item := range n.Items {
		out[i] = s.rule(item)
	}
	return out
}

// rule makes one rule: its condition, its answer and its faults.
func (s *scriptFile) rule(n *yamltree.Node) rule {
	r := rule{line: n.Line, say: n.Get("say").String(), once: n.Get("once").Flag(), hang: n.Get("hang").Flag(), cut: n.Get("cut").Count(-1)}
	if v := n.Get("when"); v != nil {
		r.when = s.condition(v)
	} else if r.once {
		s.addFault(n.Get("once"), "remove once: or add when:", "once: has no effect on a step without when")
	}
	if v := n.Get("calls"); v != nil {
		r.calls = s.calls(v)
	}
	if v := n.Get("raw_args"); v != nil {
		s.rawArgs(v, r.calls)
	}
	if v := n.Get("fail"); v != nil {
		r.fail = scriptFailure(v)
	}
	if v := n.Get("delay"); v != nil {
		r.delay, _ = v.Duration()
	}
	if v := n.Get("usage"); v != nil {
		r.usage = &Usage{In: v.Get("in").Count(0), Out: v.Get("out").Count(0)}
	}
	if n.Get("say") == nil && len(r.calls) == 0 && r.fail == nil && !r.hang && r.cut < 0 {
		s.addFault(n, "add say: or calls:", "the rule has no answer")
	}
	s.references(n, r)
	return r
}

func (s *scriptFile) condition(n *yamltree.Node) *condition {
	return &condition{
		text: n.Get("text").String(), match: s.regexp(n.Get("match")), tool: n.Get("tool").String(), code: n.Get("error").String(),
		system: s.regexp(n.Get("system")), turn: n.Get("turn").Count(0),
	}
}

// regexp compiles an expression; nil for nil and for one that is wrong.
func (s *scriptFile) regexp(n *yamltree.Node) *regexp.Regexp {
	if n == nil {
		return nil
	}
	re, err := regexp.Compile(n.Text)
	if err != nil {
		s.addFault(n, "write an RE2 expression", "%s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		return nil
	}
	return re
}

func (s *scriptFile) calls(n *yamltree.Node) []scripted {
	var out []scripted
	for _, item := range n.Items {
		c := scripted{tool: item.Get("tool").String()}
		args, raw := item.Get("args"), item.Get("raw_args")
		if args != nil {
			var err error
			if c.args, err = args.Plain(); err != nil {
				s.faults = append(s.faults, fault.Of(err, fault.Config))
			}
		}
		if raw != nil {
			c.raw, c.set = raw.Text, true
			if args != nil {
				s.addFault(raw, "keep one of them", "the call has both args and raw_args")
			}
		}
		out = append(out, c)
	}
	return out
}

// rawArgs gives a rule's raw_args to those of its calls that have no arguments of their own.
func (s *scriptFile) rawArgs(n *yamltree.Node, calls []scripted) {
	used := false
	for i := range calls {
		if c := &calls[i]; c.args == nil && !c.set {
			c.raw, c.set, used = n.Text, true, true
		}
	}
	if !used {
		s.addFault(n, "add calls: [{tool: NAME}]", "raw_args needs a call without args")
	}
}

func scriptFailure(n *yamltree.Node) *failure {
	status := n.Get("status").Count(0)
	f := &failure{status: status, retry: retriable(status)}
	f.message = fmt.Sprintf("the script fails here (%d)", status)
	if text := http.StatusText(status); text != "" {
		f.message = fmt.Sprintf("the script fails here (%d %s)", status, strings.ToLower(text))
	}
	if v := n.Get("retry_after"); v != nil {
		f.retryAfter, _ = v.Duration()
	}
	return f
}

// references reports $1 and ${name} if match has no such group.
func (s *scriptFile) references(n *yamltree.Node, r rule) {
	g := groups{}
	if r.when != nil {
		g.re = r.when.match
	}
	check := func(text string) {
		if ref := g.unknown(text); ref != "" {
			s.addFault(n, "write $$ for a dollar sign", "%s does not refer to a group of match", ref)
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
