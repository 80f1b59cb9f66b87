package project

import (
	"encoding/json"
	"slices"
	"strings"

	"golem/core/approval"
	"golem/core/fault"
)

// toolsets takes the common approval part out and leaves the options to the
// factories. Names are held against the platform later, when it is known for
// which one.
func (b *built) toolsets() {
	b.w.Delegates.Style = "tools"
	all := b.eff.get("toolsets")
	if all == nil {
		return
	}
	for _, f := range all.fields {
		if f.value.kind != dict {
			continue // false: taken away
		}
		value := f.value.with("approval", nil)
		if f.name == "custom" {
			if b.p.src.Flags.NoImportTools {
				continue // what it says is of modules that nobody looks for
			}
			value = b.p.moduleNamed(value)
			if grants := value.get("modules"); grants != nil {
				b.w.Sandbox.Lent = slices.ContainsFunc(grants.fields, func(f field) bool { return f.value.get("fs").flag() })
			}
		}
		options, err := value.json()
		if err != nil {
			b.add(fault.Of(err, fault.Config))
			options = json.RawMessage("{}")
		}
		b.w.Toolsets = append(b.w.Toolsets, Toolset{Name: f.name, Options: options, File: f.at.file, Line: f.at.line})
	}
	slices.SortFunc(b.w.Toolsets, func(a, c Toolset) int { return strings.Compare(a.Name, c.Name) })
	workers := all.get("workers")
	b.w.Delegates.Refs = workers.get("allowed_workers").texts()
	if style := workers.get("style"); style != nil {
		b.w.Delegates.Style = style.text
	}
}

// policy gathers the settings of SPEC §7. For one tool the worker file's word
// counts before the manifest's, and blocked before any other; a file that
// contradicts itself is a fault.
func (b *built) policy() {
	p := approval.Policy{
		WorkerTools: map[string]approval.Setting{}, WorkerDefaults: map[string]approval.Setting{},
		ProjectTools: map[string]approval.Setting{}, Mounts: map[string]approval.MountPolicy{}, Origins: map[string]approval.Origin{},
		Reach: b.p.src.Reach,
	}
	if all := b.eff.get("toolsets"); all != nil {
		for _, f := range all.fields {
			if d := f.value.path("approval", "default"); d != nil {
				p.WorkerDefaults[f.name] = d.setting()
				p.Origins["worker.toolset:"+f.name] = b.origin(d.at, "toolsets."+f.name+".approval.default")
			}
			b.perTool(&p, f.name, f.value.path("approval", "tools"))
		}
	}
	b.toolRules(&p)
	settings := b.p.settings.get("approval")
	if tools := settings.get("tools"); tools != nil {
		for _, f := range tools.fields {
			p.ProjectTools[f.name] = f.value.setting()
			p.Origins["project.tool:"+f.name] = b.origin(f.value.at, "approval.tools."+f.name)
		}
	}
	if d := settings.get("default"); d != nil {
		p.ProjectDefault = d.setting()
		p.Origins["project.default"] = b.origin(d.at, "approval.default")
	}
	p.Rules = rules(settings.get("rules"), approval.Project)
	p.Here, p.Everywhere = b.p.src.Config.personal()
	b.w.Policy = p
}

// origin is where a setting stands and whose word it is. What is built into
// golem needs nobody's trust.
func (b *built) origin(where at, path string) approval.Origin {
	o := approval.Origin{By: approval.Project, At: where.String(), File: where.file, Path: path}
	if b.d.builtin && where.file == b.d.String() {
		o.By = approval.Golem
	}
	return o
}

func (b *built) perTool(p *approval.Policy, toolset string, tools *node) {
	if tools == nil {
		return
	}
	for _, f := range tools.fields {
		b.setTool(p, f.name, f.value.setting(), f.value.at, "toolsets."+toolset+".approval.tools."+f.name)
	}
}

func (b *built) setTool(p *approval.Policy, tool string, s approval.Setting, where at, path string) {
	old, set := p.WorkerTools[tool]
	key := "worker.tool:" + tool
	first := b.settled[tool]
	switch {
	case set && old == s, set && old == approval.Blocked, set && s != approval.Blocked && where.file != first.file && where.file != b.d.String():
		return
	case set && s != approval.Blocked && where.file == first.file:
		b.add(where.fault(fault.Config, "%s is %s here and %s at %s", quoted(tool), s, old, p.Origins[key].At).Hinting("remove one of them"))
		return
	}
	if b.settled == nil {
		b.settled = map[string]at{}
	}
	p.WorkerTools[tool], b.settled[tool] = s, where
	p.Origins[key] = b.origin(where, path)
}

// toolRules reads S2's spelling of the same settings (S2-15).
func (b *built) toolRules(p *approval.Policy) {
	all := b.d.node.get("tool_rules")
	if all == nil {
		return
	}
	for _, f := range all.fields {
		allowed, required := f.value.get("allowed"), f.value.get("approval_required")
		switch {
		case allowed != nil && !allowed.flag():
			b.setTool(p, f.name, approval.Blocked, allowed.at, "tool_rules."+f.name+".allowed")
		case required != nil && required.flag():
			b.setTool(p, f.name, approval.Ask, required.at, "tool_rules."+f.name+".approval_required")
		case required != nil:
			b.setTool(p, f.name, approval.PreApproved, required.at, "tool_rules."+f.name+".approval_required")
		}
	}
}

func rules(n *node, by approval.Author) []approval.Rule {
	if n == nil {
		return nil
	}
	var out []approval.Rule
	for _, item := range n.items {
		r := approval.Rule{
			Tool: item.get("tool").string(), Decide: item.get("decide").setting(),
			Origin: approval.Origin{By: by, At: item.at.String(), File: item.at.file, Path: "approval.rules"},
		}
		if when := item.get("when"); when != nil && len(when.fields) > 0 {
			r.When = map[string]string{}
			for _, f := range when.fields {
				r.When[f.name] = f.value.text
			}
		}
		out = append(out, r)
	}
	return out
}
