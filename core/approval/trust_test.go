package approval

import (
	"testing"

	"golem/core/tool"
)

// SPEC §3, Trust; SECURITY 17: a preApproved in a project's file counts as ask
// for a call that leaves the sandbox, in whatever form it is written.
func TestAProjectsWordEndsAtItsSandbox(t *testing.T) {
	pre := map[string]Setting{"t": PreApproved}
	policies := map[string]Policy{
		"worker tool":     {WorkerTools: pre},
		"worker default":  {WorkerDefaults: map[string]Setting{"set": PreApproved}},
		"project tool":    {ProjectTools: pre},
		"project default": {ProjectDefault: PreApproved},
		"rule":            {Rules: []Rule{{Tool: "t", Decide: PreApproved}}},
		"rule with when":  {Rules: []Rule{{Tool: "t", When: map[string]string{"a": "*"}, Decide: PreApproved}}},
	}
	specs := map[string]struct {
		spec tool.Spec
		run  bool // whether it runs without trust
	}{
		"command":             {tool.Spec{Risk: tool.Command}, false},
		"network":             {tool.Spec{Risk: tool.Network}, false},
		"unknown":             {tool.Spec{}, false},
		"write":               {tool.Spec{Risk: tool.Write}, true},
		"destructive":         {tool.Spec{Risk: tool.Destructive}, true},
		"read":                {tool.Spec{Risk: tool.Read}, true},
		"module":              {tool.Spec{Kind: tool.Wasm}, true},
		"module with a host":  {tool.Spec{Kind: tool.Wasm, Hosts: []string{"x.example"}}, false},
		"destroyer with host": {tool.Spec{Kind: tool.Wasm, Risk: tool.Destructive, Hosts: []string{"x.example"}}, false},
		"module of network":   {tool.Spec{Kind: tool.Wasm, Network: true}, false},
	}
	for where, p := range policies {
		for what, c := range specs {
			tl := plainTool("t", c.spec.Risk)
			tl.spec.Kind, tl.spec.Hosts, tl.spec.Network, tl.spec.Toolset = c.spec.Kind, c.spec.Hosts, c.spec.Network, "set"
			for _, trusted := range []bool{false, true} {
				g := NewGate(AutoDeny, nil)
				g.Rules = said{trusts: trusted}
				o := do(t, g, tl, p, `{"a":"b"}`)
				if want := c.run || trusted; o.ran() != want {
					t.Errorf("%s, %s, trusted %v: ran %v, want %v (%+v)", where, what, trusted, o.ran(), want, o.record(t))
				}
			}
			if got := len(Widens(tl.spec, p)) > 0; got == c.run {
				t.Errorf("%s, %s: widens %v", where, what, got)
			}
		}
	}
}

// A lone file, a worker on GOLEM_PATH and a home directory may pre-approve only
// reading.
func TestALoneFileMayOnlyRead(t *testing.T) {
	for risk, run := range map[tool.Risk]bool{tool.Read: true, tool.Write: false, tool.Destructive: false, tool.Command: false} {
		o := do(t, NewGate(AutoDeny, nil), plainTool("t", risk), Policy{ProjectDefault: PreApproved, Reach: ReadOnly}, `{}`)
		if o.ran() != run {
			t.Errorf("%s: ran %v", risk, o.ran())
		}
	}
}

// $GOLEM_HOME/config.yaml: no file can relax its ask and blocked. Its preApproved for this
// project wins over the project's ask; its preApproved for all projects does not.
func TestAPersonsConfig(t *testing.T) {
	set := func(s Setting) Personal {
		return Personal{Tools: map[string]Setting{"t": s}, Origins: map[string]Origin{"tool:t": {By: Person}}}
	}
	file := func(s Setting) map[string]Setting { return map[string]Setting{"t": s} }
	for name, c := range map[string]struct {
		policy Policy
		want   Setting
	}{
		"ask over preApproved":              {Policy{WorkerTools: file(PreApproved), Everywhere: set(Ask)}, Ask},
		"blocked over preApproved":          {Policy{WorkerTools: file(PreApproved), Everywhere: set(Blocked)}, Blocked},
		"a file's blocked stays":            {Policy{WorkerTools: file(Blocked), Everywhere: set(PreApproved), Here: set(PreApproved)}, Blocked},
		"a file's ask over preApproved":     {Policy{WorkerTools: file(Ask), Everywhere: set(PreApproved)}, Ask},
		"preApproved here over ask":         {Policy{WorkerTools: file(Ask), Here: set(PreApproved)}, PreApproved},
		"here over everywhere":              {Policy{Everywhere: set(Ask), Here: set(PreApproved)}, PreApproved},
		"blocked everywhere over here":      {Policy{Everywhere: set(Blocked), Here: set(PreApproved)}, Blocked},
		"preApproved where nobody says":     {Policy{Everywhere: set(PreApproved)}, PreApproved},
		"an untrusted file changes nothing": {Policy{WorkerTools: file(PreApproved), Everywhere: set(PreApproved)}, PreApproved},
		"a rule here":                       {Policy{WorkerTools: file(Ask), Here: Personal{Rules: []Rule{{Tool: "t", Decide: PreApproved, Origin: Origin{By: Person}}}}}, PreApproved},
	} {
		o := do(t, NewGate(AutoDeny, nil), plainTool("t", tool.Command), c.policy, `{}`)
		if rec := o.record(t); rec.Setting != c.want || o.ran() != (c.want == PreApproved) {
			t.Errorf("%s: %+v, ran %v", name, rec, o.ran())
		}
	}
}
