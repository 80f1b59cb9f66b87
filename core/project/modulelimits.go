package project

import (
	"golem/core/config"
	"golem/core/fault"
	"golem/core/yamltree"
)

// moduleCeilings adds a fault for each limit in the settings of one module that is
// above the person's.
func (b *built) moduleCeilings(stem string, grant *yamltree.Node) {
	for _, l := range config.ModuleLimits {
		n := grant.Get(l.Key)
		if n == nil {
			continue
		}
		bytes, _ := n.Size()
		if most := b.ws.setup.Person.Ceiling(l); bytes > most {
			b.add(n.Pos.Fault(fault.Limit, "toolsets.custom.modules.%s.%s is %s, and your limit for a project's modules is %s", stem, l.Key, config.InUnits(bytes), config.InUnits(most)).
				Hinting("ask for less, or write tools: {%s: %s} in your own config.yaml, for all projects or for this one under projects", l.Key, config.InUnits(bytes)))
		}
	}
}
