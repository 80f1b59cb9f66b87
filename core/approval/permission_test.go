package approval

import (
	"context"
	"errors"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/tool"
)

// using returns a tool of this risk whose preview uses these paths.
func using(risk tool.Risk, paths ...tool.PathUse) seeingTool {
	return seeingTool{plainTool("write_file", risk), func(tool.Call) (tool.Preview, error) { return tool.Preview{Paths: paths}, nil }}
}

func writes(u tool.PathUse) tool.PathUse {
	u.Op, u.Mount, u.Path = "write", "root", "/a.md"
	return u
}

func permitted(t *testing.T, g *Gate, p Permission) *Gate {
	t.Helper()
	if err := g.Permit(p); err != nil {
		t.Fatal(err)
	}
	return g
}

// SPEC §11: what the permission edits runs without a question, and what it never gets past.
func TestEdits(t *testing.T) {
	pre := Policy{WorkerTools: map[string]Setting{"write_file": PreApproved}, Reach: ReadOnly}
	wasm := using(tool.Write, writes(tool.PathUse{}))
	wasm.spec.Kind = tool.Wasm
	outside := using(tool.Write, writes(tool.PathUse{}))
	outside.spec.Outside = true
	for name, c := range map[string]struct {
		tool   tool.Tool
		policy Policy
		runs   bool
	}{
		"a write in the project":          {using(tool.Write, writes(tool.PathUse{})), Policy{}, true},
		"beside a read":                   {using(tool.Write, tool.PathUse{Op: "read", Mount: "root", Path: "/b"}, writes(tool.PathUse{})), Policy{}, true},
		"a file of the project asks":      {using(tool.Write, writes(tool.PathUse{})), Policy{ProjectTools: map[string]Setting{"write_file": Ask}}, true},
		"a mount of the project asks":     {using(tool.Write, writes(tool.PathUse{})), Policy{Mounts: map[string]MountPolicy{"root": {"write": Ask}}}, true},
		"a deletion":                      {using(tool.Destructive, tool.PathUse{Op: "delete", Mount: "root", Path: "/a"}), Policy{}, false},
		"a deletion that is called write": {using(tool.Write, writes(tool.PathUse{}), tool.PathUse{Op: "delete", Mount: "root", Path: "/b"}), Policy{}, false},
		"an unknown operation":            {using(tool.Write, tool.PathUse{Op: "chmod", Mount: "root", Path: "/a"}), Policy{}, false},
		"a staged place":                  {using(tool.Write, writes(tool.PathUse{Staged: true})), Policy{}, false},
		"a mount outside the project":     {using(tool.Write, writes(tool.PathUse{Outside: true})), Policy{}, false},
		"instructions":                    {using(tool.Write, writes(tool.PathUse{Instructs: true})), Policy{}, false},
		"no mount":                        {using(tool.Write, tool.PathUse{Op: "write", Path: "/a"}), Policy{}, false},
		"no path":                         {using(tool.Write), Policy{}, false},
		"only reads":                      {using(tool.Write, tool.PathUse{Op: "read", Mount: "root", Path: "/a"}), Policy{}, false},
		"no preview":                      {plainTool("write_file", tool.Write), Policy{}, false},
		"a module":                        {wasm, Policy{}, false},
		"effects outside the sandbox":     {outside, Policy{}, false},
		"the network":                     {using(tool.Network, writes(tool.PathUse{})), Policy{}, false},
		"a command":                       {using(tool.Command, writes(tool.PathUse{})), Policy{}, false},
		"an unknown risk":                 {using("", writes(tool.PathUse{})), Policy{}, false},
		"what nobody trusted":             {using(tool.Write, writes(tool.PathUse{})), pre, false},
		"the person's own ask":            {using(tool.Write, writes(tool.PathUse{})), Policy{Here: Personal{Tools: map[string]Setting{"write_file": Ask}, Origins: map[string]Origin{"tool:write_file": {By: Person}}}}, false},
		"the person's ask for all":        {using(tool.Write, writes(tool.PathUse{})), Policy{Everywhere: Personal{Default: Ask, Origins: map[string]Origin{"default": {By: Person}}}}, false},
		"the person's rule that asks":     {using(tool.Write, writes(tool.PathUse{})), Policy{Everywhere: Personal{Rules: []Rule{{Tool: "write_file", Decide: Ask, Origin: Origin{By: Person}}}}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := says(t, No)
			g := permitted(t, NewGate(Interactive, p), Edits)
			o := do(t, g, c.tool, c.policy, `{}`)
			if o.ran() != c.runs || (p.questions() == 0) != c.runs {
				t.Errorf("ran %v, %d questions, %v", o.ran(), p.questions(), o.err)
			}
			if rec := o.record(t); c.runs && (rec.Source != "mode" || rec.Rule != "permission edits" || rec.Setting != Ask) {
				t.Errorf("%+v", rec)
			}
		})
	}
	g := permitted(t, NewGate(Interactive, nil), Edits)
	if o := do(t, g, using(tool.Write, writes(tool.PathUse{})), Policy{WorkerTools: map[string]Setting{"write_file": Blocked}}, `{}`); o.ran() || o.record(t).Setting != Blocked {
		t.Error("edits went past blocked")
	}
}

// SPEC §11: in plan, reading runs and everything else is denied, whoever allowed it.
func TestPlan(t *testing.T) {
	pre := Policy{WorkerTools: map[string]Setting{"write_file": PreApproved}, Here: Personal{Rules: []Rule{{Tool: "write_file", Decide: PreApproved, Origin: Origin{By: Person}}}}}
	write := using(tool.Write, writes(tool.PathUse{}))
	for _, mode := range []Mode{Interactive, ApproveAll} {
		g := NewGate(mode, says(t, Always))
		if mode == Interactive && !do(t, g, write, Policy{}, `{}`).ran() { // an answer that lasts
			t.Fatal("not run")
		}
		permitted(t, g, Plan)
		for _, p := range []Policy{{}, pre} {
			o := do(t, g, write, p, `{}`)
			rec := o.record(t)
			if o.ran() || rec.Source != "mode" || rec.Rule != "permission plan" || !errors.Is(o.err, fault.Denied) {
				t.Errorf("%s: %+v, %v", mode, rec, o.err)
			}
			if f := fault.Of(o.err, fault.Tool); !strings.Contains(f.Hint, "what you would do") {
				t.Errorf("hint %q", f.Hint)
			}
		}
		for _, risk := range []tool.Risk{tool.Network, tool.Destructive, tool.Command, "", "odd"} {
			if do(t, g, plainTool("t", risk), Policy{ProjectDefault: PreApproved}, `{}`).ran() {
				t.Errorf("%q ran", risk)
			}
		}
		if !do(t, g, plainTool("read_file", tool.Read), Policy{}, `{}`).ran() {
			t.Error("reading was denied")
		}
		worker := &fakeTool{spec: tool.Spec{Name: "w", Kind: tool.Worker, Provider: "w"}}
		if !do(t, g, worker, Policy{}, `{}`).ran() {
			t.Error("a worker cannot be called, although each of its calls is judged")
		}
		if o := do(t, g, plainTool("read_file", tool.Read), Policy{WorkerTools: map[string]Setting{"read_file": Blocked}}, `{}`); o.ran() {
			t.Error("plan went past blocked")
		}
	}
	asks := says(t, No)
	if do(t, permitted(t, NewGate(Interactive, asks), Plan), plainTool("read_file", tool.Read), Policy{Here: Personal{Default: Ask}}, `{}`).ran() || asks.questions() != 1 {
		t.Error("plan went past the person's own ask")
	}
}

// /ask takes back what --approve-all said; edits is refused under --deny-all.
func TestPermissionAndMode(t *testing.T) {
	p := says(t, No)
	g := permitted(t, NewGate(ApproveAll, p), AskFirst)
	if do(t, g, plainTool("delete_file", tool.Destructive), Policy{}, `{}`).ran() || p.questions() != 1 {
		t.Errorf("%d questions", p.questions())
	}
	deny := NewGate(AutoDeny, nil)
	if err := deny.Permit(Edits); !errors.Is(err, fault.Usage) || deny.Permission() != "" {
		t.Errorf("%v, permission %q", err, deny.Permission())
	}
	if do(t, deny, using(tool.Write, writes(tool.PathUse{})), Policy{}, `{}`).ran() {
		t.Error("a write ran under --deny-all")
	}
	if err := deny.Permit("yes"); !errors.Is(err, fault.Usage) {
		t.Error(err)
	}
}

// A call that waits while another question is open is judged by the permission of the moment
// when its turn comes.
func TestPermissionWhileACallWaits(t *testing.T) {
	for permission, runs := range map[Permission]bool{Edits: true, Plan: false} {
		var g *Gate
		asked := 0
		g = NewGate(Interactive, approverFunc(func(_ context.Context, r Request) (Decision, error) {
			asked++
			return Decision{ID: r.ID, Answer: Yes}, g.Permit(permission)
		}))
		c, err := prepare(t.Context(), Item{Tool: using(tool.Write, writes(tool.PathUse{})), By: Outside{}}, using(tool.Write).spec, tool.ReadArguments([]byte(`{}`)))
		if err != nil {
			t.Fatal(err)
		}
		if rec, _ := g.ask(t.Context(), c, Record{}); !rec.Run || asked != 1 {
			t.Errorf("%+v", rec)
		}
		if rec, _ := g.ask(t.Context(), c, Record{}); rec.Run != runs || asked != 1 || rec.Source != "mode" {
			t.Errorf("%s: %+v after %d questions", permission, rec, asked)
		}
	}
}

// SPEC §21: a file that workers are given as instructions is written only after a question,
// whatever a file, a rule or an earlier answer says.
func TestInstructionsAsk(t *testing.T) {
	agents := using(tool.Write, writes(tool.PathUse{Instructs: true}))
	policy := Policy{WorkerTools: map[string]Setting{"write_file": PreApproved}, Here: Personal{Rules: []Rule{{Tool: "write_file", Decide: PreApproved, Origin: Origin{By: Person}}}}}
	p := says(t, Always, Always, No, No)
	g := NewGate(Interactive, p)
	g.Rules = said{saves: true, saved: true}
	for i := range 3 {
		do(t, g, agents, policy, `{}`)
		if p.questions() != i+1 {
			t.Fatalf("call %d: %d questions", i, p.questions())
		}
		if r := p.asked[i]; r.Offers(Always) || r.Offers(Keep) || r.Lasting != nil {
			t.Errorf("answers %v", r.Answers)
		}
	}
	byFile := NewGate(ApproveAll, p)
	byFile.SandboxOnly = true
	if do(t, byFile, agents, Policy{}, `{}`).ran() {
		t.Error("a manifest's approve_all wrote instructions")
	}
	if !do(t, g, using(tool.Read, tool.PathUse{Op: "read", Mount: "root", Path: "/AGENTS.md", Instructs: true}), Policy{}, `{}`).ran() {
		t.Error("reading asks")
	}
}
