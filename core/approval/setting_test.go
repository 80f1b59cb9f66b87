package approval

import (
	"encoding/json"
	"strings"
	"testing"

	"golem/core/tool"
)

// The order of SPEC §7, tier by tier: each case wins over all that follow.
func TestOrder(t *testing.T) {
	yes, no := func(json.RawMessage) bool { return true }, func(json.RawMessage) bool { return false }
	pre := map[string]Setting{"write_file": PreApproved}
	ask := map[string]Setting{"write_file": Ask}
	mounts := func(s Setting) map[string]MountPolicy { return map[string]MountPolicy{"root": {"write": s}} }
	cases := []struct {
		name   string
		policy Policy
		needs  func(json.RawMessage) bool
		want   Setting
		rule   string
	}{
		{"blocked by the project's default", Policy{WorkerTools: pre, ProjectDefault: Blocked, Rules: []Rule{{Tool: "write_file", Decide: PreApproved}}}, no, Blocked, "project's default"},
		{"blocked by a mount", Policy{WorkerTools: pre, Rules: []Rule{{Tool: "write_file", Decide: PreApproved}}, Mounts: mounts(Blocked)}, no, Blocked, "mount root: write"},
		{"rule", Policy{Rules: []Rule{{Tool: "write_file", Decide: PreApproved, Origin: Origin{At: "project.yaml:3"}}, {Tool: "write_file", Decide: Blocked}}, Mounts: mounts(Ask), WorkerTools: ask}, yes, PreApproved, "project.yaml:3"},
		{"mount", Policy{Mounts: mounts(PreApproved), WorkerTools: ask}, yes, PreApproved, "mount"},
		{"worker tool", Policy{WorkerTools: pre, WorkerDefaults: map[string]Setting{"filesystem": Ask}, Origins: map[string]Origin{"worker.tool:write_file": {At: "main.worker:4"}}}, yes, PreApproved, "main.worker:4"},
		{"worker default", Policy{WorkerDefaults: map[string]Setting{"filesystem": PreApproved}, ProjectTools: ask}, yes, PreApproved, "filesystem"},
		{"project tool", Policy{ProjectTools: pre, ProjectDefault: Ask}, yes, PreApproved, "project's setting"},
		{"project default", Policy{ProjectDefault: PreApproved}, yes, PreApproved, "project's default"},
		{"the tool says no need", Policy{}, no, PreApproved, "tool"},
		{"the tool asks", Policy{}, yes, Ask, "tool"},
		{"the tool's word fails", Policy{}, func(json.RawMessage) bool { panic("x") }, Ask, "failed"},
		{"risk", Policy{}, nil, Ask, "risk write"},
		{"another toolset's default", Policy{WorkerDefaults: map[string]Setting{"shell": PreApproved}}, nil, Ask, "risk"},
		{"another tool's rule", Policy{Rules: []Rule{{Tool: "write", Decide: PreApproved}}}, nil, Ask, "risk"},
		{"a rule without a decision blocks", Policy{Rules: []Rule{{Tool: "write_file"}}}, nil, Blocked, "rule 1"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tl := writeFile()
			tl.spec.NeedsApproval = c.needs
			o := do(t, NewGate(Interactive, says(t, Yes)), tl, c.policy, `{"path":"/a"}`)
			rec := o.record(t)
			if rec.Setting != c.want || !strings.Contains(rec.Rule, c.rule) {
				t.Errorf("got %s by %q, want %s by %q", rec.Setting, rec.Rule, c.want, c.rule)
			}
		})
	}
}

func TestRiskDefaults(t *testing.T) {
	for risk, want := range map[tool.Risk]Setting{tool.Read: PreApproved, tool.Write: Ask, tool.Network: Ask, tool.Destructive: Ask, tool.Command: Ask, "": Ask, "odd": Ask} {
		if got, rule := NewGate("", nil).Setting(plainTool("t", risk).spec, Policy{}); got != want || rule == "" {
			t.Errorf("%q: %s (%s)", risk, got, rule)
		}
	}
	worker := tool.Spec{Name: "w", Kind: tool.Worker}
	if got, _ := NewGate("", nil).Setting(worker, Policy{}); got != PreApproved {
		t.Errorf("delegation: %s", got)
	}
}

// A setting can use the tool's own name and those of Spec.Rules; the own name comes first.
func TestRuleNames(t *testing.T) {
	spec := tool.Spec{Name: "write_file", Risk: tool.Write, Rules: []string{"sandbox.write"}}
	g := NewGate("", nil)
	if got, _ := g.Setting(spec, Policy{ProjectTools: map[string]Setting{"sandbox.write": PreApproved}}); got != PreApproved {
		t.Errorf("alias: %s", got)
	}
	if got, _ := g.Setting(spec, Policy{ProjectTools: map[string]Setting{"sandbox.write": PreApproved, "write_file": Ask}}); got != Ask {
		t.Errorf("own name: %s", got)
	}
	if got, _ := g.Setting(spec, Policy{WorkerTools: map[string]Setting{"write_file": PreApproved}, ProjectTools: map[string]Setting{"sandbox.write": Blocked}}); got != Blocked {
		t.Errorf("blocked under an alias: %s", got)
	}
	if got, _ := g.Setting(spec, Policy{Rules: []Rule{{Tool: "sandbox.write", Decide: PreApproved}}}); got != PreApproved {
		t.Errorf("rule by alias: %s", got)
	}
	if got, _ := g.Setting(spec, Policy{Rules: []Rule{{Tool: "write_file", When: map[string]string{"path": "**"}, Decide: PreApproved}}}); got != Ask {
		t.Errorf("a rule about arguments, without any: %s", got)
	}
}

// uses returns a tool whose preview has the given paths.
func uses(name string, paths ...tool.PathUse) seeingTool {
	return seeingTool{plainTool(name, tool.Write), func(tool.Call) (tool.Preview, error) { return tool.Preview{Paths: paths}, nil }}
}

func at(op, mount, path string) tool.PathUse { return tool.PathUse{Op: op, Mount: mount, Path: path} }

func TestRulesMatch(t *testing.T) {
	out := func(s Setting) []Rule {
		return []Rule{{Tool: "t", When: map[string]string{"path": "/output/**"}, Decide: s}}
	}
	arg := func(pattern string, s Setting) []Rule {
		return []Rule{{Tool: "t", When: map[string]string{"command": pattern}, Decide: s}}
	}
	inside, outside := at("write", "root", "/output/a/b.md"), at("read", "root", "/secret")
	blind := plainTool("t", tool.Write)
	cases := []struct {
		name  string
		tool  tool.Tool
		rules []Rule
		args  string
		want  Setting
	}{
		{"path inside", uses("t", inside), out(PreApproved), `{}`, PreApproved},
		{"path outside", uses("t", outside), out(PreApproved), `{}`, Ask},
		{"preApproved needs every path", uses("t", inside, outside), out(PreApproved), `{}`, Ask},
		{"blocked needs one", uses("t", outside, inside), out(Blocked), `{}`, Blocked},
		{"the preview counts, not the argument", uses("t", outside), out(PreApproved), `{"path":"/output/x"}`, Ask},
		{"no preview: never allowed", blind, out(PreApproved), `{"path":"/output/x"}`, Ask},
		{"no preview: a tricky path", blind, out(PreApproved), `{"path":"/output/../main.worker"}`, Ask},
		{"no preview: forbidden", blind, out(Blocked), `{"path":"/output/x"}`, Blocked},
		{"no preview: unsure, then blocked", blind, append(out(PreApproved), Rule{Tool: "t", Decide: Blocked}), `{}`, Blocked},
		{"no preview: unsure, then allowed", blind, append(out(Ask), Rule{Tool: "t", Decide: PreApproved}), `{}`, Ask},
		{"argument", blind, arg("git status", PreApproved), `{"command":"git status"}`, PreApproved},
		{"glob", blind, arg("git *", PreApproved), `{"command":"git status"}`, PreApproved},
		{"a star stops at a slash where it allows", blind, arg("git *", PreApproved), `{"command":"git add /etc"}`, Ask},
		{"and not where it forbids", blind, arg("rm *", Blocked), `{"command":"rm -r a/b"}`, Blocked},
		{"host", blind, arg("https://example.com/**", PreApproved), `{"command":"https://example.com/a/b"}`, PreApproved},
		{"other host", blind, arg("https://example.com/**", PreApproved), `{"command":"https://example.com.evil.org/a"}`, Ask},
		{"number", blind, arg("1*", PreApproved), `{"command":17}`, PreApproved},
		{"list, all", blind, arg("a*", PreApproved), `{"command":["a","ab"]}`, PreApproved},
		{"list, some", blind, arg("a*", PreApproved), `{"command":["a","b"]}`, Ask},
		{"list, some forbidden", blind, arg("b*", Blocked), `{"command":["a","b"]}`, Blocked},
		{"empty list allows nothing", blind, arg("**", PreApproved), `{"command":[]}`, Ask},
		{"missing argument", blind, arg("**", PreApproved), `{}`, Ask},
		{"broken pattern never allows", blind, arg("[", PreApproved), `{"command":"["}`, Ask},
		{"unknown decision", blind, arg("*", "sure"), `{"command":"x"}`, Blocked},
		{"huge value", blind, arg("**", PreApproved), `{"command":"` + strings.Repeat("x", maxMatched+1) + `"}`, Ask},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := do(t, NewGate(Interactive, says(t, Yes)), c.tool, Policy{Rules: c.rules}, c.args)
			if got := o.record(t); got.Setting != c.want {
				t.Errorf("%s by %q, want %s", got.Setting, got.Rule, c.want)
			}
		})
	}
}

// able returns a tool without a preview that can do these operations in each call.
func able(risk tool.Risk, files ...tool.PathUse) *fakeTool {
	t := plainTool("t", risk)
	t.spec.Files = files
	return t
}

func TestMounts(t *testing.T) {
	mounts := map[string]MountPolicy{"out": {"write": PreApproved, "delete": Ask}, "safe": {"write": Blocked, "read": Ask}}
	blind := plainTool("t", tool.Write)
	reader := plainTool("t", tool.Read)
	child := &fakeTool{spec: tool.Spec{Name: "t", Kind: tool.Worker}}
	cases := []struct {
		name string
		tool tool.Tool
		want Setting
	}{
		{"covered", uses("t", at("write", "out", "/out/a")), PreApproved},
		{"another operation", uses("t", at("delete", "out", "/out/a")), Ask},
		{"not all covered", uses("t", at("write", "out", "/out/a"), at("write", "root", "/b")), Ask},
		{"strictest", uses("t", at("write", "out", "/out/a"), at("write", "safe", "/safe/a")), Blocked},
		{"an operation nobody knows", uses("t", at("chmod", "safe", "/safe/a")), Blocked},
		{"a mount's word is not about the network", seeingTool{plainTool("t", tool.Network), uses("t", at("write", "out", "/out/a")).see}, Ask},
		{"no preview", blind, Ask},
		{"no preview, reading where reading asks", reader, Ask},
		{"can do what is blocked", able(tool.Command, at("write", "out", "/out"), at("write", "safe", "/safe")), Blocked},
		{"can do what asks", able(tool.Command, at("read", "safe", "/safe"), at("write", "out", "/out")), Ask},
		{"cannot do it", able(tool.Write, at("write", "other", "/other")), Ask},
		{"what it can do is not what it does", able(tool.Write, at("write", "out", "/out")), Ask},
		{"reads where reading asks", able(tool.Read, at("read", "safe", "/safe")), Ask},
		{"reads elsewhere", able(tool.Read, at("read", "out", "/out")), PreApproved},
		{"delegation", child, PreApproved},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := do(t, NewGate(Interactive, says(t, Yes)), c.tool, Policy{Mounts: mounts}, `{}`)
			if got := o.record(t); got.Setting != c.want {
				t.Errorf("%s by %q, want %s", got.Setting, got.Rule, c.want)
			}
		})
	}
	o := do(t, NewGate(Interactive, says(t, Yes)), blind, Policy{Mounts: mounts, WorkerTools: map[string]Setting{"t": PreApproved}}, `{}`)
	if o.record(t).Setting != Ask {
		t.Error("a tool without a preview slipped past the mounts")
	}
	sure := Policy{Mounts: mounts, WorkerTools: map[string]Setting{"t": PreApproved}, Rules: []Rule{{Tool: "t", Decide: PreApproved}}}
	o = do(t, NewGate(ApproveAll, nil), able(tool.Command, at("write", "safe", "/safe")), sure, `{}`)
	wantDenied(t, o, "blocked by mount safe: write, which it could do unseen")
	o = do(t, NewGate(Interactive, nil), reader, Policy{Mounts: map[string]MountPolicy{"out": {"write": Ask}}}, `{}`)
	if !o.ran() {
		t.Error("write approvals made a reader ask")
	}
}
