package config

import (
	"golem/core/approval"
	"golem/core/yamltree"
)

// ReadRules returns the approval rules of a checked list, which somebody (by) wrote.
func ReadRules(n *yamltree.Node, by approval.Author) []approval.Rule {
	if n == nil {
		return nil
	}
	var out []approval.Rule
	for _, item := range n.Items {
		r := approval.Rule{
			Tool: item.Get("tool").String(), Decide: SettingOf(item.Get("decide")), Server: item.Get("server").String(),
			Origin: approval.Origin{By: by, At: item.Pos.String(), File: item.Pos.File, Path: "approval.rules"},
		}
		if when := item.Get("when"); when != nil && len(when.Fields) > 0 {
			r.When = map[string]string{}
			for _, f := range when.Fields {
				r.When[f.Name] = f.Value.Text
			}
		}
		out = append(out, r)
	}
	return out
}
