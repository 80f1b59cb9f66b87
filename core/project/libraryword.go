package project

import (
	"golem/core/config"
	"golem/core/fault"
	"golem/core/yamltree"
)

// wordFaults returns a fault for each key lib:NAME of a library that the project does
// not use.
func wordFaults(t *Trees) fault.List {
	var names []string
	for _, s := range t.all {
		if s.Library != "" {
			names = append(names, config.WordPrefix+s.Library)
		}
	}
	var out fault.List
	for _, f := range t.Own().Words {
		if t.reachable("", f.Name) == nil {
			name := config.WordPrefix + f.Name
			out = append(out, f.Pos.Fault(fault.Config, "%s is not a library of this project", fault.Quoted(name)).Hinting("%s", fault.DidYouMean(name, names)))
		}
	}
	return out
}

// word returns the settings of the project file for a worker of a library: those for
// toolsets that the worker has, and those for custom unless the worker turns it off.
func (s *Tree) word(library string, worker *yamltree.Node) *yamltree.Node {
	for _, f := range s.Words {
		if library == "" || f.Name != library {
			continue
		}
		all := f.Value.Get("toolsets")
		out := &yamltree.Node{Pos: f.Pos, Kind: yamltree.Mapping}
		for _, ts := range config.FieldsOf(all) {
			own := worker.Path("toolsets", ts.Name)
			if ts.Name == "custom" && own == nil || own != nil && own.Kind == yamltree.Mapping {
				out.Fields = append(out.Fields, yamltree.Field{Name: ts.Name, Pos: ts.Pos, Value: config.Stricter(ts.Value, own)})
			}
		}
		return &yamltree.Node{Pos: f.Pos, Kind: yamltree.Mapping, Fields: []yamltree.Field{{Name: "toolsets", Pos: f.Pos, Value: out}}}
	}
	return nil
}
