package approval

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/tool"
)

// moduleTool is a fakeTool with an Identity method.
type moduleTool struct {
	*fakeTool
	digest string
	err    error
	asked  int
}

func (m *moduleTool) Identity(context.Context) (string, error) {
	m.asked++
	if m.digest == "panic" {
		panic("no such file")
	}
	return m.digest, m.err
}

func module(digest string, err error) *moduleTool {
	return &moduleTool{fakeTool: &fakeTool{spec: tool.Spec{Name: "add", Kind: tool.Wasm, Toolset: "custom", Module: "tools/a.wasm"}}, digest: digest, err: err}
}

// A decision is about a module's bytes: another file with the same path is
// another tool (SPEC §6, §7).
func TestDecisionsAreForAModulesDigest(t *testing.T) {
	p := says(t, Session, No)
	g := NewGate(Interactive, p)
	call := func(m *moduleTool) error {
		_, err := g.Call(t.Context(), Item{Tool: m, FromModel: true, Call: tool.Call{Name: "add", Args: tool.ReadArguments([]byte(`{"a":1}`))}})
		return err
	}
	first := module("aaaa", nil)
	for range 2 {
		if err := call(first); err != nil {
			t.Fatal(err)
		}
	}
	if err := call(module("aaaa", nil)); err != nil {
		t.Errorf("the same bytes were asked about again: %v", err)
	}
	if err := call(module("bbbb", nil)); !errors.Is(err, fault.Denied) {
		t.Errorf("other bytes: %v, want a question and its no", err)
	}
	if len(p.asked) != 2 || first.ran() != 2 || p.asked[0].Type != "tool_call" || p.asked[0].Risk != "high" || p.asked[0].Offers(Always) ||
		p.asked[0].Module != "tools/a.wasm@sha256:aaaa" {
		t.Errorf("asked %d times, ran %d", len(p.asked), first.ran())
	}
}

// For a module that cannot be read, or whose digest is not the locked one, nobody is asked
// and it does not run. If it is blocked, that is reported.
func TestUnknownIdentityIsNotRun(t *testing.T) {
	lock := fault.New(fault.Lock, "tools/a.wasm has changed")
	for name, m := range map[string]*moduleTool{"error": module("", lock), "panic": module("panic", nil)} {
		var rec []Record
		g := NewGate(ApproveAll, says(t))
		it := Item{Tool: m, FromModel: true, Call: tool.Call{Name: "add", Args: tool.ReadArguments([]byte(`{}`))}, By: observed(func(r Record) { rec = append(rec, r) })}
		_, err := g.Call(t.Context(), it)
		if err == nil || name == "error" && !errors.Is(err, fault.Lock) || m.ran() != 0 || len(rec) != 1 || rec[0].Run {
			t.Errorf("%s: %v, %+v, ran %d", name, err, rec, m.ran())
		}
		it.Policy.ProjectTools = map[string]Setting{"add": Blocked}
		if _, err := g.Call(t.Context(), it); !errors.Is(err, fault.Denied) {
			t.Errorf("%s, blocked: %v", name, err)
		}
	}
}

// refusing is a Caller that permits nothing.
type refusing struct {
	Outside
	err error
}

func (r refusing) Permit(context.Context, tool.Risk) error { return r.err }

// A call that Permit refuses is refused before anybody is asked, whatever the setting, the
// mode and the remembered decisions are. If it is also blocked, that is reported.
func TestPermit(t *testing.T) {
	refusal := fault.New(fault.Network, "there is no network")
	for _, set := range []Setting{PreApproved, Ask, Blocked} {
		for _, mode := range []Mode{Interactive, ApproveAll, AutoDeny} {
			tl := plainTool("fetch", tool.Network)
			var rec []Record
			_, err := NewGate(mode, says(t)).Call(t.Context(), Item{
				Tool: tl, FromModel: true, Call: tool.Call{Name: "fetch", Args: tool.ReadArguments([]byte(`{}`))},
				Policy: Policy{ProjectTools: map[string]Setting{"fetch": set}},
				By:     noting{refusing{err: refusal}, func(r Record) { rec = append(rec, r) }},
			})
			want := fault.Network
			if set == Blocked {
				want = fault.Denied
			}
			if !errors.Is(err, want) || tl.ran() != 0 || len(rec) != 1 || rec[0].Run || rec[0].Setting != set {
				t.Errorf("%s %s: %v %+v", set, mode, err, rec)
			}
		}
	}
}

// A call of a module that replaces a worker is preApproved like delegation, if the module has
// no grants. The module's NeedsApproval, and every setting, can still make it ask (S3-24).
func TestModuleThatProvidesAWorker(t *testing.T) {
	g := NewGate(Interactive, nil)
	spec := tool.Spec{Name: "slug", Kind: tool.Wasm, Toolset: "custom", Target: "slug", Confined: true, Rules: []string{"worker.call"}}
	with := func(change func(*tool.Spec)) tool.Spec { s := spec; change(&s); return s }
	always := func(s *tool.Spec) { s.NeedsApproval = func(json.RawMessage) bool { return true } }
	for name, c := range map[string]struct {
		spec   tool.Spec
		policy Policy
		want   Setting
	}{
		"a worker":     {spec: spec, want: PreApproved},
		"with a grant": {spec: with(func(s *tool.Spec) { s.Confined = false }), want: Ask},
		"a tool":       {spec: with(func(s *tool.Spec) { s.Target = "" }), want: Ask},
		"its own word": {spec: with(always), want: Ask},
		"worker.call":  {spec: spec, policy: Policy{WorkerTools: map[string]Setting{"worker.call": Ask}}, want: Ask},
		"blocked":      {spec: spec, policy: Policy{ProjectTools: map[string]Setting{"slug": Blocked}}, want: Blocked},
	} {
		if got, rule := g.Setting(c.spec, c.policy); got != c.want {
			t.Errorf("%s: %s (%s), want %s", name, got, rule, c.want)
		}
	}
}

// A pattern with too many alternatives is not matched: the rule asks, even if it would allow
// the call.
func TestPatternsAreBounded(t *testing.T) {
	pattern := strings.Repeat("{a,b}", 22)
	tl := writeFile()
	g := NewGate(AutoDeny, nil)
	_, err := g.Call(t.Context(), Item{
		Tool: tl, FromModel: true, Call: tool.Call{Name: "write_file", Args: tool.ReadArguments([]byte(`{"path":"/` + strings.Repeat("a", 22) + `","content":"x"}`))},
		Policy: Policy{Rules: []Rule{{Tool: "write_file", When: map[string]string{"path": "/" + pattern}, Decide: PreApproved}}},
	})
	if !errors.Is(err, fault.Denied) || tl.ran() != 0 {
		t.Errorf("%v, ran %d", err, tl.ran())
	}
}
