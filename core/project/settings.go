package project

import (
	"encoding/json"
	"slices"
	"strings"

	"golem/core/approval"
	"golem/core/config"
	"golem/core/fault"
	"golem/core/sorting"
	"golem/core/yamltree"
)

// toolsets sets the worker's Toolsets and Delegates. It leaves out approval, which all
// toolsets have; their factories decode the other options. Whether the platform has a
// toolset is checked later, when the platform is known.
func (b *built) toolsets() {
	b.w.Delegates.Style = "tools"
	all := b.eff.Get("toolsets")
	if all == nil {
		return
	}
	for _, f := range all.Fields {
		if f.Value.Kind != yamltree.Mapping {
			continue // false: removed
		}
		value := f.Value.With("approval", nil)
		if f.Name == "custom" {
			if b.ws.setup.Options.NoImportTools {
				continue // its settings are about modules, and golem looks for none
			}
			value = b.ws.modules.named(b.d.In("."), value)
			if grants := value.Get("modules"); grants != nil {
				for _, f := range grants.Fields {
					b.moduleCeilings(f.Name, f.Value)
				}
				b.w.Sandbox.Lent = slices.ContainsFunc(grants.Fields, func(f yamltree.Field) bool { return config.Lends(f.Value.Get("fs")) })
			}
		}
		options, err := value.JSON()
		if err != nil {
			b.add(fault.Of(err, fault.Config))
			options = json.RawMessage("{}")
		}
		b.w.Toolsets = append(b.w.Toolsets, Toolset{Name: f.Name, Options: options, File: f.Pos.File, Line: f.Pos.Line})
	}
	sorting.By(b.w.Toolsets, func(a, c Toolset) int { return strings.Compare(a.Name, c.Name) })
	workers := all.Get("workers")
	b.w.Delegates.Refs = workers.Get("allowed_workers").Texts()
	if style := workers.Get("style"); style != nil {
		b.w.Delegates.Style = style.Text
	}
}

// policy collects the settings of SPEC §7. For one tool, the worker file's setting wins
// over the manifest's, and blocked wins over all others; a file that contradicts itself
// is a fault.
func (b *built) policy() {
	p := approval.Policy{
		WorkerTools: map[string]approval.Setting{}, WorkerDefaults: map[string]approval.Setting{},
		ProjectTools: map[string]approval.Setting{}, Mounts: map[string]approval.MountPolicy{}, Origins: map[string]approval.Origin{},
		Reach: b.ws.setup.Reach,
	}
	if all := b.eff.Get("toolsets"); all != nil {
		for _, f := range all.Fields {
			if d := f.Value.Path("approval", "default"); d != nil {
				p.WorkerDefaults[f.Name] = config.SettingOf(d)
				p.Origins["worker.toolset:"+f.Name] = b.origin(d.Pos, "toolsets."+f.Name+".approval.default")
			}
			b.perTool(&p, f.Name, f.Value.Path("approval", "tools"))
		}
	}
	b.toolRules(&p)
	settings := b.ws.trees.Own().Keys.Get("approval")
	if tools := settings.Get("tools"); tools != nil {
		for _, f := range tools.Fields {
			p.ProjectTools[f.Name] = config.SettingOf(f.Value)
			p.Origins["project.tool:"+f.Name] = b.origin(f.Value.Pos, "approval.tools."+f.Name)
		}
	}
	if d := settings.Get("default"); d != nil {
		p.ProjectDefault = config.SettingOf(d)
		p.Origins["project.default"] = b.origin(d.Pos, "approval.default")
	}
	p.Rules = config.ReadRules(settings.Get("rules"), approval.Project)
	p.Here, p.Everywhere = b.ws.setup.Person.Personal()
	b.w.Policy = p
}

// origin returns the position of a setting and who made it. Settings of golem's
// built-in files need no trust.
func (b *built) origin(where yamltree.Pos, path string) approval.Origin {
	o := approval.Origin{By: approval.Project, At: where.String(), File: where.File, Path: path}
	switch s := b.ws.trees.TreeOf(b.d.Location); {
	case s.trusted && where.File == b.d.String():
		o.By = approval.Golem
	case s.Library != "" && strings.HasPrefix(where.File, s.Name):
		o.By = approval.Library
	}
	return o
}

func (b *built) perTool(p *approval.Policy, toolset string, tools *yamltree.Node) {
	if tools == nil {
		return
	}
	for _, f := range tools.Fields {
		b.setTool(p, f.Name, config.SettingOf(f.Value), f.Value.Pos, "toolsets."+toolset+".approval.tools."+f.Name)
	}
}

func (b *built) setTool(p *approval.Policy, tool string, s approval.Setting, where yamltree.Pos, path string) {
	old, set := p.WorkerTools[tool]
	key := "worker.tool:" + tool
	first := b.settled[tool]
	switch {
	case set && old == s, set && old == approval.Blocked, set && s != approval.Blocked && where.File != first.File && where.File != b.d.String():
		return
	case set && s != approval.Blocked && where.File == first.File:
		b.add(where.Fault(fault.Config, "%s is %s here and %s at %s", fault.Quoted(tool), s, old, p.Origins[key].At).Hinting("remove one of them"))
		return
	}
	if b.settled == nil {
		b.settled = map[string]yamltree.Pos{}
	}
	p.WorkerTools[tool], b.settled[tool] = s, where
	p.Origins[key] = b.origin(where, path)
}

// toolRules reads tool_rules, which is another spelling of the same settings (S2-15).
func (b *built) toolRules(p *approval.Policy) {
	all := b.d.Node.Get("tool_rules")
	if all == nil {
		return
	}
	for _, f := range all.Fields {
		allowed, required := f.Value.Get("allowed"), f.Value.Get("approval_required")
		switch {
		case allowed != nil && !allowed.Flag():
			b.setTool(p, f.Name, approval.Blocked, allowed.Pos, "tool_rules."+f.Name+".allowed")
		case required != nil && required.Flag():
			b.setTool(p, f.Name, approval.Ask, required.Pos, "tool_rules."+f.Name+".approval_required")
		case required != nil:
			b.setTool(p, f.Name, approval.PreApproved, required.Pos, "tool_rules."+f.Name+".approval_required")
		}
	}
}
