package approval

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"

	"golem/core/fault"
	"golem/core/tool"
)

// Gate is the executor's only route to a tool (S3-17). One gate serves a
// session: the whole worker tree shares its mode, its memory and its one
// question at a time (S0-39..41). Its memory ends with it (S0-38). It may be
// used from many goroutines; the exported fields are set before first use.
type Gate struct {
	// SandboxOnly narrows ApproveAll to what stays in the sandbox (read,
	// write, destructive); network and command still ask. It is for a mode
	// that a manifest chose, not a person (SPEC §3).
	SandboxOnly bool
	// Trusts says whether a person trusted a widening: then a project's own
	// preApproved counts although it reaches beyond the sandbox. nil: nobody did,
	// and such a setting counts as ask (SPEC §3, SECURITY 17).
	Trusts func(Widening) bool
	// TaintAsk makes tainted calls that can reach the network ask even if
	// preApproved (SECURITY 13).
	TaintAsk bool

	mode     Mode
	approver Approver
	turn     chan struct{} // holds one token: the right to ask
	memory   memory
	schemas  schemas
	nonce    string // keeps request ids of two sessions apart
	asked    atomic.Int64
}

// NewGate makes a gate. An empty mode is Interactive, an unknown one denies
// whatever would ask. A nil approver is nobody.
func NewGate(mode Mode, approver Approver) *Gate {
	g := &Gate{mode: mode.known(), approver: approver, turn: make(chan struct{}, 1), nonce: rand.Text()[:8]}
	g.turn <- struct{}{}
	return g
}

// Mode is what "ask" means in this session.
func (g *Gate) Mode() Mode { return g.mode }

// Call settles one call and, if it may run, runs it: manual check, strict
// decoding, schema, identity, preview, what cannot be permitted, setting, memory, mode, person, tool. Errors are
// faults: E_TOOL_INPUT for arguments, E_DENIED for a no, E_INTERRUPTED when
// ctx ends while a person is asked, else the tool's own. A tool that panics
// is E_TOOL.
func (g *Gate) Call(ctx context.Context, it Item) (tool.Output, error) {
	spec := it.Tool.Spec()
	if it.FromModel && !forModels(spec.Exec) {
		rec := Record{Setting: Blocked, Rule: "exec: manual", Source: "setting", Reason: "only a person can start this tool"}
		it.observe(rec)
		return tool.Output{}, denial(spec.Name, rec)
	}
	args, err := g.decode(spec, it.Call.Args)
	if err != nil {
		return tool.Output{}, err
	}
	c, err := prepare(ctx, it, spec, args)
	if err == nil && it.Permit != nil {
		err = it.Permit(c.risk)
	}
	if err != nil {
		// The call could not be worked out, or nobody can allow it. Blocked still
		// comes first: what is forbidden is not told why else it would fail.
		v := settle(it.Policy, c.subject)
		rec := Record{Setting: v.setting, Rule: v.rule, Source: "setting", Reason: "not run: " + reason(err)}
		if v.setting == Blocked {
			rec.Reason = blockedReason(v.rule)
			err = denial(spec.Name, rec)
		}
		it.observe(rec)
		return tool.Output{}, err
	}
	rec, err := g.decide(ctx, c)
	it.observe(rec)
	if err != nil {
		return tool.Output{}, err
	}
	if !rec.Run {
		return tool.Output{}, denial(spec.Name, rec)
	}
	return c.run(ctx, rec.Source == "user")
}

// forModels says whether a model may start such a tool; unknown words may not.
func forModels(e tool.Exec) bool {
	return e == "" || e == tool.ExecLLM || e == tool.ExecBoth
}

// Setting is what is configured for a tool while no call is known, and where
// it stands: rules count only if they name no arguments. It says what would
// ask, for the warning when nobody is there (SPEC §7).
func (g *Gate) Setting(spec tool.Spec, p Policy) (Setting, string) {
	s := newSubject(spec)
	s.previewed = true // of no call yet, so paths decide nothing
	v := g.believe(settle(p, s), p.Reach, s)
	return v.setting, v.rule
}

// believe takes a preApproved back to ask where a project or library says it
// of more than it may decide by itself and no person trusted it.
func (g *Gate) believe(v verdict, reach Reach, s subject) verdict {
	for _, other := range v.also {
		if b := g.believe(other, reach, s); b.setting != PreApproved {
			return b
		}
	}
	if v.setting != PreApproved || reach.reaches(v.origin.By, s.risk, s.spec) {
		return v
	}
	if g.Trusts != nil && g.Trusts(v.widening(s)) {
		return v
	}
	return verdict{setting: Ask, rule: v.rule + ", which nobody trusted", origin: v.origin}
}

func (v verdict) widening(s subject) Widening {
	w := Widening{Origin: v.origin, Setting: v.setting, Rule: v.matched}
	if s.spec.Kind == tool.Wasm {
		w.Module = s.spec.Provider // its digest, once the gate has identified it
	}
	return w
}

// Widens returns the widenings that settings of p make for a tool: each
// preApproved, in a rule whatever its arguments too, that would let calls of
// the tool run and is more than its author may decide (SPEC §3). Trust is not
// looked at.
func Widens(spec tool.Spec, p Policy) []Widening {
	s := newSubject(spec)
	s.previewed = true
	var out []Widening
	add := func(v verdict) {
		if v.setting == PreApproved && !p.Reach.reaches(v.origin.By, s.risk, spec) {
			out = append(out, v.widening(s))
		}
	}
	if v := settle(p, s); v.setting == Blocked {
		return nil
	} else if v.setting == PreApproved {
		add(v)
	}
	for i, r := range p.Rules {
		if slices.Contains(s.names, r.Tool) {
			add(verdict{setting: r.Decide.known(), origin: r.Origin, matched: &p.Rules[i]})
		}
	}
	if p.Reach == WithinSandbox || escapes(s.risk, spec) {
		return out // a mount's setting is of files in the sandbox
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

// decide settles a prepared call. The record is complete; err is set when
// nobody decided anything: ctx ended, or the call no longer holds.
func (g *Gate) decide(ctx context.Context, c *pending) (Record, error) {
	v := g.believe(settle(c.item.Policy, c.subject), c.item.Policy.Reach, c.subject)
	if v.setting == PreApproved && g.TaintAsk && c.item.Tainted && leavesSandbox(c.risk) {
		v = builtin(Ask, "untrusted content was read (approval.taint)")
	}
	rec := Record{Setting: v.setting, Rule: v.rule, Source: "setting"}
	switch v.setting {
	case PreApproved: // neither memory nor mode is consulted (S0-70)
		rec.Run = true
		return rec, nil
	case Ask:
	default:
		rec.Setting = Blocked
		rec.Reason = blockedReason(v.rule)
		return rec, nil
	}
	if g.remembered(c, &rec) {
		return rec, nil
	}
	switch {
	case g.mode == AutoDeny:
		rec.Source, rec.Reason = "mode", autoDenied
		return rec, nil
	case g.mode == ApproveAll && !(g.SandboxOnly && leavesSandbox(c.risk)):
		rec.Source, rec.Run = "mode", true
		return rec, nil
	}
	return g.ask(ctx, c, rec)
}

// remembered fills the record from memory, if it holds a decision.
func (g *Gate) remembered(c *pending, rec *Record) bool {
	run, ok := g.memory.recall(c.key, c.kind, g.coversAny(c))
	if !ok {
		return false
	}
	rec.Source, rec.Run = "cache", run
	if !run {
		rec.Reason = deniedEarlier
	}
	return true
}

// coversAny says whether "any arguments" is offered and believed for a call.
func (g *Gate) coversAny(c *pending) bool {
	return widens(c.risk) && !(g.TaintAsk && c.item.Tainted && leavesSandbox(c.risk))
}

func blockedReason(rule string) string { return "blocked by " + rule }

// reason is what went wrong, without code or place.
func reason(err error) string {
	f := fault.Of(err, fault.Tool)
	return fmt.Sprintf("%s: %s", f.Code, f.Message)
}

// denial is what the caller is told, and what it can do now (S0-61).
func denial(name string, rec Record) *fault.Fault {
	f := fault.New(fault.Denied, "%s was not run: %s", name, rec.Reason)
	switch {
	case rec.Nobody:
		return f.Hinting("go on without it, and say in your answer what you could not do")
	case rec.Source == "user" || rec.Source == "cache":
		return f.Hinting("do not repeat this call; go on without it, or ask what to do instead")
	}
	return f.Hinting("this is configured and does not change during the run; go on without it")
}

// fieldsOf is the top level of canonical arguments.
func fieldsOf(args json.RawMessage) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(args, &fields) != nil {
		return nil
	}
	return fields
}
