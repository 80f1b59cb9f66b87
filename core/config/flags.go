package config

import (
	"encoding/json"
	"maps"
	"slices"

	"golem/core/fault"
	"golem/core/yamltree"
)

// settingsExample shows in a fault how the values of --set are written.
const settingsExample = "for example temperature=0.2, max_output_tokens=4000"

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

// CommandLine is the origin of a value that a person gave with a flag.
const CommandLine = "command line"

// Given returns the limits and the model settings that a person gave for the run (--limit,
// --set) by their names, under the keys that workers have; nil if none were given. They win over each
// worker's own (SPEC §3).
func Given(limits, settings map[string]string) (keys *yamltree.Node, faults fault.List) {
	for _, one := range []struct {
		key, flag string
		given     map[string]string
		shape     *yamltree.Shape
		example   string
	}{
		{"limits", "limit", limits, limitsShape(), "for example turns=20, tool_timeout=1m, cost=0.50"},
		{"model_settings", "set", settings, modelSettingsShape(), settingsExample},
	} {
		if len(one.given) == 0 {
			continue
		}
		values, bad := flagValues(one.flag, one.given, one.shape, one.example)
		faults = append(faults, bad...)
		if keys == nil {
			keys = &yamltree.Node{Pos: values.Pos, Kind: yamltree.Mapping}
		}
		keys.Fields = append(keys.Fields, yamltree.Field{Name: one.key, Pos: values.Pos, Value: values})
	}
	return keys, faults
}
