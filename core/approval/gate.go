package approval

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync/atomic"

	"golem/core/fault"
	"golem/core/tool"
)

// PersonRules are what a person said for the project. Its methods must be safe for concurrent
// use.
type PersonRules interface {
	// Trusts reports whether the person trusted a widening. Only then does a project's own
	// preApproved count where it reaches beyond the sandbox; otherwise it counts as ask
	// (SPEC §3, SECURITY 17).
	Trusts(Widening) bool
	// Saves reports whether a rule can be saved. If not, none is proposed.
	Saves() bool
	// Save stores a rule in the person's own configuration, for this project. It reports
	// whether it did; if not, it must tell the person why.
	Save(Rule) bool
}

// Gate is the only way to run a tool (S3-17). There is one gate for each
// session: all workers share its mode, its remembered decisions and its rule of
// one question at a time (S0-39..41). The remembered decisions end with the
// session (S0-38). A Gate is safe for concurrent use; set the exported fields
// before the first call.
type Gate struct {
	// SandboxOnly limits ApproveAll to calls that stay in the sandbox (read,
	// write, destructive); network and command still ask. It is for a mode that
	// a manifest chose and not a person (SPEC §3).
	SandboxOnly bool
	// Rules are what a person said for the project; nil: nothing is trusted, and no rule
	// is proposed.
	Rules PersonRules
	// TaintAsk makes every call that can have effects outside the sandbox (network,
	// command, unknown risk, outside files) ask once the run has read untrusted content,
	// even if the call is preApproved (SECURITY 13).
	TaintAsk bool

	mode     Mode
	approver Approver
	// permission is a Permission as a string.
	permission atomic.Value
	turn       chan struct{} // has one token; a call must take it to ask
	memory     memory
	schemas    schemas
	nonce      string // makes request ids of two sessions differ
	asked      atomic.Int64
}

// NewGate returns a gate. An empty mode means Interactive; an unknown mode
// denies every call that would ask. With a nil approver nobody can be asked.
func NewGate(mode Mode, approver Approver) *Gate {
	g := &Gate{mode: mode.known(), approver: approver, turn: make(chan struct{}, 1), nonce: rand.Text()[:8]}
	g.turn <- struct{}{}
	return g
}

// Drop makes a rule that the person kept for the project, and has removed, count no more.
func (g *Gate) Drop(r Rule) { g.memory.dropRule(r) }

// Mode returns the gate's approval mode.
func (g *Gate) Mode() Mode { return g.mode }

// Call decides about one call and, if it may run, runs it. The steps are: exec
// manual, strict decoding, schema, identity, preview, Caller.Permit, setting,
// remembered decisions, mode, person, tool. Every error is a fault:
// E_TOOL_INPUT for bad arguments, E_DENIED for a no, E_INTERRUPTED when ctx
// ends while a person is asked, E_TOOL when the tool panics, otherwise the
// tool's own error.
func (g *Gate) Call(ctx context.Context, it Item) (tool.Output, error) {
	if it.By == nil {
		it.By = Outside{}
	}
	spec := it.Tool.Spec()
	if it.FromModel && !forModels(spec.Exec) {
		rec := Record{Setting: Blocked, Rule: "exec: manual", Source: "setting", Reason: "only a person can start this tool"}
		it.By.Observe(rec)
		return tool.Output{}, denial(it, rec)
	}
	args, err := g.checked(spec, it.Call.Args, it.By.Coerced)
	if err != nil {
		return tool.Output{}, err
	}
	c, err := prepare(ctx, it, spec, args)
	if err == nil {
		err = it.By.Permit(ctx, c.risk)
	}
	if err != nil {
		// The call could not be prepared, or nothing can permit it. Blocked
		// still comes first: a forbidden call gets no other reason.
		v := settingOf(it.Policy, c.subject)
		rec := Record{Setting: v.setting, Rule: v.rule, Source: "setting", Reason: "not run: " + reason(err)}
		if v.setting == Blocked {
			rec.Reason = blockedReason(v.rule)
			err = denial(it, rec)
		}
		it.By.Observe(rec)
		return tool.Output{}, err
	}
	rec, err := g.decide(ctx, c)
	it.By.Observe(rec)
	if err != nil {
		return tool.Output{}, err
	}
	if !rec.Run {
		return tool.Output{}, denial(it, rec)
	}
	return c.run(ctx, rec.Source == "user")
}

// forModels reports whether a model may start a tool with this exec. An unknown
// exec may not.
func forModels(e tool.Exec) bool {
	return e == "" || e == tool.ExecLLM || e == tool.ExecBoth
}

// Setting returns the setting of a tool without a call, and where it is written. Only
// rules without conditions on arguments count. It is used to find the tools that would
// ask, for the warning when nobody is there (SPEC §7).
func (g *Gate) Setting(spec tool.Spec, p Policy) (Setting, string) {
	s := newSubject(spec)
	s.previewed = true // there is no call, so no path decides
	v := g.believe(settingOf(p, s), p.Reach, s)
	return v.setting, v.rule
}

// believe changes preApproved into ask if a project or a library wrote it, it
// allows more than that author may allow, and no person has trusted it.
func (g *Gate) believe(v verdict, reach Reach, s subject) verdict {
	if v.setting == PreApproved && s.spec.Unconfined != "" {
		return builtin(Ask, "nothing confines it here, so that each call asks: "+s.spec.Unconfined)
	}
	for _, other := range v.also {
		if b := g.believe(other, reach, s); b.setting != PreApproved {
			return b
		}
	}
	if v.setting != PreApproved || reach.reaches(v.origin.By, s.risk, s.spec) {
		return v
	}
	if g.Rules != nil && g.Rules.Trusts(v.widening(s)) {
		return v
	}
	return verdict{setting: Ask, rule: v.rule + notTrusted, origin: v.origin, untrusted: true}
}

const notTrusted = ", which nobody trusted"

func (v verdict) widening(s subject) Widening {
	w := Widening{Origin: v.origin, Setting: v.setting, Rule: v.matched}
	if s.spec.Kind == tool.Wasm {
		w.Module = s.spec.Provider // the module's digest, once the gate knows it
	}
	return w
}

// Widens returns the widenings that p contains for a tool: every preApproved
// (in a rule: whatever its arguments) that would let calls of the tool run and
// that allows more than its author may allow (SPEC §3). It includes those that
// are already trusted.
func Widens(spec tool.Spec, p Policy) []Widening {
	s := newSubject(spec)
	s.previewed = true
	var out []Widening
	add := func(v verdict) {
		if v.setting == PreApproved && !p.Reach.reaches(v.origin.By, s.risk, spec) {
			out = append(out, v.widening(s))
		}
	}
	if v := settingOf(p, s); v.setting == Blocked {
		return nil
	} else if v.setting == PreApproved {
		add(v)
	}
	for i, r := range p.Rules {
		if slices.Contains(s.names, r.Tool) {
			add(verdict{setting: r.Decide.known(), origin: r.Origin, matched: &p.Rules[i]})
		}
	}
	if escapes(s.risk, spec) {
		return out // a mount's setting concerns only files in the sandbox
	}
	for name, ops := range p.Mounts {
		for op, set := range ops {
			if op != "read" {
				add(verdict{setting: set.known(), origin: p.Origins["mount:"+name+":"+op]})
			}
		}
	}
	return out
}

// verdict returns what the settings and the rules say about a prepared call.
func (g *Gate) verdict(c *pending) verdict {
	p := g.memory.with(c.item.Policy)
	v := g.believe(settingOf(p, c.subject), p.Reach, c.subject)
	if v.setting == PreApproved && g.taints(c) {
		v = builtin(Ask, "untrusted content was read (approval.taint)")
	}
	if v.setting == PreApproved && c.instructs() {
		v = builtin(Ask, "workers are given this file as instructions")
	}
	return v
}

// taints reports whether a call asks even if it is preApproved, because the run has read
// untrusted content.
func (g *Gate) taints(c *pending) bool {
	return g.TaintAsk && c.item.By.Tainted() && escapes(c.risk, c.spec)
}

// decide decides a prepared call. The record is then complete. The error is set
// if no decision was made: ctx ended, or the call is no longer valid.
func (g *Gate) decide(ctx context.Context, c *pending) (Record, error) {
	rec, decided := g.unasked(c)
	if decided {
		return rec, nil
	}
	return g.ask(ctx, c, rec)
}

// unasked decides a call without asking. decided is false if a person must be asked.
func (g *Gate) unasked(c *pending) (rec Record, decided bool) {
	v := g.verdict(c)
	rec = Record{Setting: v.setting, Rule: v.rule, Source: "setting"}
	switch {
	case v.setting != PreApproved && v.setting != Ask:
		rec.Setting, rec.Reason = Blocked, blockedReason(v.rule)
		return rec, true
	case g.plan(c, &rec):
		return rec, true
	case v.setting == PreApproved: // neither remembered decisions nor the mode count (S0-70)
		rec.Run = true
		return rec, true
	case g.remembered(c, &rec), g.edits(c, v, &rec):
		return rec, true
	}
	run, settled := g.byMode(c.risk, c.spec)
	if run && g.SandboxOnly && c.instructs() { // a manifest chose the mode
		settled = false
	}
	if settled {
		rec.Source, rec.Run = "mode", run
		if !run {
			rec.Reason = autoDenied
		}
		return rec, true
	}
	return rec, false
}

// remembered copies a remembered decision into the record. It reports whether
// there was one.
func (g *Gate) remembered(c *pending, rec *Record) bool {
	run, ok := g.memory.recall(c.key, c.kind, g.coversAny(c))
	if !ok || run && c.spec.Unconfined != "" {
		return false
	}
	rec.Source, rec.Run = "cache", run
	if !run {
		rec.Reason = deniedEarlier
	}
	return true
}

// coversAny reports whether the answer Always is offered for a call, and whether an earlier
// one covers it.
func (g *Gate) coversAny(c *pending) bool {
	return (widens(c.risk) || c.spec.Toolset == mcp) && !g.taints(c) && c.spec.Unconfined == "" && !c.instructs()
}

func blockedReason(rule string) string { return "blocked by " + rule }

// reason returns an error's code and message, without its place.
func reason(err error) string {
	f := fault.Of(err, fault.Tool)
	return fmt.Sprintf("%s: %s", f.Code, f.Message)
}

// denial returns the error for the caller of a denied call. For a model it has a hint on
// how to go on (S0-61).
func denial(it Item, rec Record) *fault.Fault {
	hint, name := "this is configured and does not change during the run; go on without it", it.Tool.Spec().Name
	switch {
	case !it.FromModel:
		hint = ""
	case rec.Nobody:
		hint = "go on without it, and say in your answer what you could not do"
	case rec.Reason == planned:
		hint = "do not try it another way: say in your answer what you would do, and end your turn"
	case rec.Source == "user" || rec.Source == "cache":
		hint = "do not repeat this call; go on without it, or ask what to do instead"
	}
	f := fault.New(fault.Denied, "%s was not run: %s", name, rec.Reason)
	if f.Hint = hint; rec.Reason != autoDenied {
		return f
	}
	return f.InPage(name+" was not run: "+DeniedInPage, hint)
}
