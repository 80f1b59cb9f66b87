package project

import (
	"strings"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/yamltree"
)

// wordPrefix begins the keys of a project file with settings for the workers of one
// library: lib:NAME (SPEC §3).
const wordPrefix = "lib:"

// wordShape has the settings that are possible there: approvals and grants. They then
// count as the project's own settings, not as the library's.
var wordShape = newWordShape()

func newWordShape() *yamltree.Shape {
	each := map[string]*yamltree.Shape{"approval": toolApprovalShape()}
	custom := map[string]*yamltree.Shape{"approval": toolApprovalShape(), "modules": yamltree.MapOf(grantShape())}
	return yamltree.KeysOf(map[string]*yamltree.Shape{"toolsets": {
		Kind: yamltree.Mapping, Key: yamltree.NameProblem, Each: yamltree.KeysOf(each), Keys: map[string]*yamltree.Shape{"custom": yamltree.KeysOf(custom)},
	}})
}

// words removes the keys lib:NAME from the tree of a project file and keeps them in
// s.said.
func (s *source) words(c *yamltree.Conformer, tree *yamltree.Node) *yamltree.Node {
	rest := *tree
	rest.Fields = nil
	for _, f := range tree.Fields {
		if !strings.HasPrefix(f.Name, wordPrefix) {
			rest.Fields = append(rest.Fields, f)
		} else if n := c.Conform(f.Value, wordShape, f.Name); n != nil {
			s.said = append(s.said, yamltree.Field{Name: strings.TrimPrefix(f.Name, wordPrefix), Pos: f.Pos, Value: n})
		}
	}
	return &rest
}

// wordFaults returns a fault for each key lib:NAME of a library that the project does
// not use.
func (p *Project) wordFaults() fault.List {
	var names []string
	for _, s := range p.sources {
		if s.library != "" {
			names = append(names, wordPrefix+s.library)
		}
	}
	var out fault.List
	for _, f := range p.sources[0].said {
		if p.reachable("", f.Name) == nil {
			name := wordPrefix + f.Name
			out = append(out, f.Pos.Fault(fault.Config, "%s is not a library of this project", fault.Quoted(name)).Hinting("%s", fault.DidYouMean(name, names)))
		}
	}
	return out
}

// stricter returns the project's settings for a library's worker without those that
// would lift a restriction of the worker: any origin may tighten (SPEC §3).
func stricter(project, worker *yamltree.Node) *yamltree.Node {
	if worker == nil || project.Kind != yamltree.Mapping {
		return project
	}
	out := &yamltree.Node{Pos: project.Pos, Kind: yamltree.Mapping}
	for _, f := range project.Fields {
		own := worker.Get(f.Name)
		if own != nil && own.Text != f.Value.Text && (f.Value.Text == string(approval.PreApproved) || own.Text == string(approval.Blocked) || f.Value.Flag()) {
			continue
		}
		if f.Name == "fs" && own != nil && f.Value.Kind == yamltree.Mapping {
			if !own.Flag() && said(own, "", "").Value != said(f.Value, "", "").Value {
				continue // the library's worker names other directories, or none
			}
			out.Fields = append(out.Fields, f)
			continue
		}
		out.Fields = append(out.Fields, yamltree.Field{Name: f.Name, Pos: f.Pos, Value: stricter(f.Value, own)})
	}
	return out
}

// word returns the settings of the project file for a worker of a library: those for
// toolsets that the worker has, and those for custom unless the worker turns it off.
func (p *Project) word(library string, worker *yamltree.Node) *yamltree.Node {
	for _, f := range p.sources[0].said {
		if library == "" || f.Name != library {
			continue
		}
		all := f.Value.Get("toolsets")
		out := &yamltree.Node{Pos: f.Pos, Kind: yamltree.Mapping}
		for _, ts := range fieldsOf(all) {
			own := worker.Path("toolsets", ts.Name)
			if ts.Name == "custom" && own == nil || own != nil && own.Kind == yamltree.Mapping {
				out.Fields = append(out.Fields, yamltree.Field{Name: ts.Name, Pos: ts.Pos, Value: stricter(ts.Value, own)})
			}
		}
		return &yamltree.Node{Pos: f.Pos, Kind: yamltree.Mapping, Fields: []yamltree.Field{{Name: "toolsets", Pos: f.Pos, Value: out}}}
	}
	return nil
}
