package project

import (
	"maps"
	"slices"

	"golem/core/fault"
)

// settleLimits reads the limits that a person set for the run (--limit): they
// stand above each worker's own (SPEC §3).
func (p *Project) settleLimits() {
	given := p.src.Flags.Limits
	if len(given) == 0 {
		return
	}
	place := at{file: fromFlag}
	values := &node{at: place, kind: dict}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		v, faults := parseYAML(fromFlag, []byte(given[name]))
		if v == nil || len(faults) > 0 {
			p.faults = append(p.faults, limitFault(name, given[name], "is no value"))
			continue
		}
		v.at = place
		values.fields = append(values.fields, field{name, place, v})
	}
	c := &conformer{}
	limits := c.conform(values, limitsShape(), "limit")
	for _, f := range c.faults {
		p.faults = append(p.faults, fault.New(fault.Usage, "%s", f.Message).Hinting("%s", f.Hint))
	}
	p.limits = &node{at: place, kind: dict, fields: []field{{"limits", place, limits}}}
}

func limitFault(name, value, problem string) *fault.Fault {
	return fault.New(fault.Usage, "limit.%s: %s %s", brief(name), quoted(value), problem).
		Hinting("for example turns=20, tool_timeout=1m, tool_output=10KB")
}
