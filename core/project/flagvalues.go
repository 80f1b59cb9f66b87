package project

import (
	"maps"
	"slices"

	"golem/core/fault"
)

// settleFlags reads the limits and the settings of a model that a person set
// for the run (--limit, --set): they stand above each worker's own (SPEC §3).
func (p *Project) settleFlags() {
	p.flag("limits", "limit", p.src.Flags.Limits, limitsShape(), "for example turns=20, tool_timeout=1m, tool_output=10KB")
	p.flag("model_settings", "set", p.src.Flags.Settings, modelSettingsShape(), "for example temperature=0.2, max_output_tokens=4000")
}

// flag puts the values that a flag gave under a key of each worker.
func (p *Project) flag(key, flag string, given map[string]string, s *shape, example string) {
	if len(given) == 0 {
		return
	}
	place := at{file: fromFlag}
	values := &node{at: place, kind: dict}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		v, faults := parseYAML(fromFlag, []byte(given[name]))
		if v == nil || len(faults) > 0 {
			p.faults = append(p.faults, fault.New(fault.Usage, "%s.%s: %s is no value", flag, brief(name), quoted(given[name])).Hinting("%s", example))
			continue
		}
		v.place(place)
		values.fields = append(values.fields, field{name, place, v})
	}
	c := &conformer{}
	conformed := c.conform(values, s, flag)
	for _, f := range c.faults {
		p.faults = append(p.faults, fault.New(fault.Usage, "%s", f.Message).Hinting("%s", f.Hint))
	}
	if p.flags == nil {
		p.flags = &node{at: place, kind: dict}
	}
	p.flags.fields = append(p.flags.fields, field{key, place, conformed})
}

// place puts a value and all in it at one place.
func (n *node) place(where at) {
	n.at = where
	for i := range n.fields {
		n.fields[i].at = where
		n.fields[i].value.place(where)
	}
	for _, item := range n.items {
		item.place(where)
	}
}
