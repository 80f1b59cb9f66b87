package approval

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
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
	v := settle(p, s)
	return v.setting, v.rule
}

// decide settles a prepared call. The record is complete; err is set when
// nobody decided anything: ctx ended, or the call no longer holds.
func (g *Gate) decide(ctx context.Context, c *pending) (Record, error) {
	v := settle(c.item.Policy, c.subject)
	if v.setting == PreApproved && g.TaintAsk && c.item.Tainted && leavesSandbox(c.risk) {
		v = verdict{Ask, "untrusted content was read (approval.taint)"}
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
		rec.Source, rec.Reason = "mode", "the approval mode auto_deny refuses what would ask"
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
		rec.Reason = "denied earlier for the rest of the session"
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
	f := fault.New(fault.Denied, "%s denied: %s", name, rec.Reason)
	switch {
	case rec.Nobody:
		return f.Hinting("go on without it and say in the answer what was left undone")
	case rec.Source == "user" || rec.Source == "cache":
		return f.Hinting("do not repeat the same call; go on without it or ask what to do instead")
	}
	return f.Hinting("this is configured and does not change while running; go on without it")
}

// fieldsOf is the top level of canonical arguments.
func fieldsOf(args json.RawMessage) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(args, &fields) != nil {
		return nil
	}
	return fields
}
