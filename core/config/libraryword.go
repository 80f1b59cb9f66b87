package config

import (
	"golem/core/approval"
	"golem/core/yamltree"
)

// WordPrefix begins the keys of a project file with settings for the workers of one
// library: lib:NAME (SPEC §3).
const WordPrefix = "lib:"

// wordShape has the settings that are possible there: approvals and grants. They then
// count as the project's own settings, not as the library's.
var wordShape = newWordShape()

func newWordShape() *yamltree.Shape {
	each := map[string]*yamltree.Shape{"approval": key("Whether calls of its tools ask.", toolApprovalShape())}
	custom := map[string]*yamltree.Shape{"approval": key("Whether calls of its tools ask.", toolApprovalShape()), "modules": key("Grants and limits, by the module's name without .wasm.", yamltree.MapOf(grantShape()))}
	return yamltree.KeysOf(map[string]*yamltree.Shape{"toolsets": key("Toolsets of the library's workers.", &yamltree.Shape{
		Kind: yamltree.Mapping, Key: yamltree.NameProblem, Each: yamltree.KeysOf(each), Keys: map[string]*yamltree.Shape{"custom": key("Tools of .wasm modules.", yamltree.KeysOf(custom))},
	})})
}

// Stricter returns the project's settings for a library's worker without those that
// would lift a restriction of the worker: any origin may tighten (SPEC §3).
func Stricter(project, worker *yamltree.Node) *yamltree.Node {
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
			if !own.Flag() && NewSaid(own, "", "").Value != NewSaid(f.Value, "", "").Value {
				continue // the library's worker names other directories, or none
			}
			out.Fields = append(out.Fields, f)
			continue
		}
		out.Fields = append(out.Fields, yamltree.Field{Name: f.Name, Pos: f.Pos, Value: Stricter(f.Value, own)})
	}
	return out
}
