package project

import (
	"maps"
	"slices"

	"golem/core/fault"
	"golem/core/yamltree"
)

// settleFlags reads the limits and the settings of a model that a person set
// for the run (--limit, --set): they stand above each worker's own (SPEC §3).
func (p *Project) settleFlags() {
	p.flag("limits", "limit", p.src.Flags.Limits, limitsShape(), "for example turns=20, tool_timeout=1m, cost=0.50")
	p.flag("model_settings", "set", p.src.Flags.Settings, modelSettingsShape(), "for example temperature=0.2, max_output_tokens=4000")
}

// flag puts the values that a flag gave under a key of each worker.
func (p *Project) flag(key, flag string, given map[string]string, s *yamltree.Shape, example string) {
	if len(given) == 0 {
		return
	}
	place := yamltree.Pos{File: fromFlag}
	values := &yamltree.Node{Pos: place, Kind: yamltree.Mapping}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		v, faults := yamltree.Parse(fromFlag, []byte(given[name]))
		if v == nil || len(faults) > 0 {
			p.faults = append(p.faults, fault.New(fault.Usage, "%s.%s: %s is not a valid value", flag, fault.Brief(name), fault.Quoted(given[name])).Hinting("%s", example))
			continue
		}
		v.MoveTo(place)
		values.Fields = append(values.Fields, yamltree.Field{Name: name, Pos: place, Value: v})
	}
	c := &yamltree.Conformer{}
	conformed := c.Conform(values, s, flag)
	for _, f := range c.Faults {
		p.faults = append(p.faults, fault.New(fault.Usage, "%s", f.Message).Hinting("%s", f.Hint))
	}
	if p.flags == nil {
		p.flags = &yamltree.Node{Pos: place, Kind: yamltree.Mapping}
	}
	p.flags.Fields = append(p.flags.Fields, yamltree.Field{Name: key, Pos: place, Value: conformed})
}
