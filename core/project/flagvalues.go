package project

import (
	"encoding/json"
	"maps"
	"slices"

	"golem/core/fault"
	"golem/core/yamltree"
)

const settingsExample = "for example temperature=0.2, max_output_tokens=4000"

// settleFlags reads the limits and the model settings that a person gave for the run
// (--limit, --set). They win over each worker's own (SPEC §3).
func (p *Project) settleFlags() {
	p.flag("limits", "limit", p.src.Flags.Limits, limitsShape(), "for example turns=20, tool_timeout=1m, cost=0.50")
	p.flag("model_settings", "set", p.src.Flags.Settings, modelSettingsShape(), settingsExample)
}

// flag adds the values of a flag to p.flags, under the key that workers have.
func (p *Project) flag(key, flag string, given map[string]string, s *yamltree.Shape, example string) {
	if len(given) == 0 {
		return
	}
	values, faults := flagValues(flag, given, s, example)
	p.faults = append(p.faults, faults...)
	if p.flags == nil {
		p.flags = &yamltree.Node{Pos: values.Pos, Kind: yamltree.Mapping}
	}
	p.flags.Fields = append(p.flags.Fields, yamltree.Field{Name: key, Pos: values.Pos, Value: values})
}

// flagValues returns the values that a person gave by name, in the form that they have
// in files. It leaves out the wrong ones and returns their faults.
func flagValues(flag string, given map[string]string, s *yamltree.Shape, example string) (*yamltree.Node, fault.List) {
	place := yamltree.Pos{File: CommandLine}
	var out fault.List
	values := &yamltree.Node{Pos: place, Kind: yamltree.Mapping}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		v, faults := yamltree.Parse(CommandLine, []byte(given[name]))
		if v == nil || len(faults) > 0 {
			out = append(out, fault.New(fault.Usage, "%s.%s: %s is not a valid value", flag, fault.Brief(name), fault.Quoted(given[name])).Hinting("%s", example))
			continue
		}
		v.MoveTo(place)
		values.Fields = append(values.Fields, yamltree.Field{Name: name, Pos: place, Value: v})
	}
	c := &yamltree.Conformer{}
	conformed := c.Conform(values, s, flag)
	for _, f := range c.Faults {
		out = append(out, fault.New(fault.Usage, "%s", f.Message).Hinting("%s", f.Hint))
	}
	return conformed, out
}

// SettingValues returns model settings that a person gave by name, as JSON; E_USAGE if
// one is wrong.
func SettingValues(given map[string]string) (json.RawMessage, error) {
	values, faults := flagValues("set", given, modelSettingsShape(), settingsExample)
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return values.JSON()
}
