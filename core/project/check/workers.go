package check

import (
	"slices"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/yamltree"
)

// ofEach returns what a function finds in each worker.
func (v *view) ofEach(find func(*project.Loaded) fault.List) (out fault.List) {
	for _, got := range v.workers {
		out = append(out, find(got)...)
	}
	return out
}

// ofReadable does the same for the workers that could be read.
func (v *view) ofReadable(find func(*project.Loaded) fault.List) fault.List {
	return v.ofEach(func(got *project.Loaded) fault.List {
		if got.Worker == nil {
			return nil
		}
		return find(got)
	})
}

func ownFaults(v *view) fault.List {
	return v.ofEach(func(got *project.Loaded) fault.List { return got.Own })
}

func settings(v *view) fault.List {
	return v.ofEach(func(got *project.Loaded) fault.List { return got.Faults })
}

func toolsets(v *view) fault.List {
	return v.ofReadable(func(got *project.Loaded) fault.List { return v.Workers.ToolsetFaults(got, v.platform) })
}

// modules finds the modules that a worker names and that do not exist, and those of its own
// directory that were not built or are passed over.
func modules(v *view) fault.List {
	return v.ofReadable(func(got *project.Loaded) fault.List {
		faults := v.Modules.FaultsOf(got)
		if dir := got.OwnDir(); dir != "" && !v.Setup.Options.NoImportTools {
			faults = append(faults, v.Modules.Unbuilt(got.Definition.In(dir))...)
			faults = append(faults, v.Modules.PassedOver(got.Definition.In(dir))...)
		}
		return faults
	})
}

// models finds models that the platform cannot open, and patterns that no model can match.
func models(v *view) fault.List {
	return v.ofReadable(func(got *project.Loaded) (out fault.List) {
		origin := got.Worker.Origins["model"]
		for _, w := range got.Worker.Models() {
			err := v.models[modelAt{w.Model, origin}].err
			if err == nil {
				continue
			}
			where := yamltree.Pos{}
			for _, n := range []*yamltree.Node{got.Definition.Node.Get("model"), v.Trees.Own().Keys.Get("model")} {
				if n != nil && n.Pos.String() == origin {
					where = n.Pos
				}
			}
			for _, bad := range project.FaultsOf(err, fault.Model) {
				if bad.Where == nil || bad.Where.File == "" { // otherwise the fault is in the script
					bad = project.Placed(where, bad)
				}
				out = append(out, bad)
			}
		}
		if v.known == nil {
			return out
		}
		return append(out, project.StrangePatterns(got, v.known.Beginnings())...)
	})
}

// recordings finds recordings of models that the worker's compatible_models do not allow.
func recordings(v *view) fault.List {
	return v.ofReadable(func(got *project.Loaded) (out fault.List) {
		if got.Worker.ModelIsLast {
			return nil
		}
		for _, w := range got.Worker.Models() {
			out = append(out, v.recordedUnfit(got, w.Model)...)
		}
		return out
	})
}

// recordedUnfit returns a fault if name is a recording of a model that a worker does not
// allow.
func (v *view) recordedUnfit(got *project.Loaded, name string) fault.List {
	patterns := got.Definition.Node.Get("compatible_models")
	if patterns == nil {
		return nil
	}
	for at, said := range v.models {
		if at.name == name && said.recorded != "" {
			if f := got.Worker.Unfit(said.recorded, "recorded in "+name); f != nil {
				return fault.List{project.Placed(patterns.Pos, f)}
			}
		}
	}
	return nil
}

func references(v *view) (out fault.List) {
	for _, r := range v.refs {
		out = append(out, r.faults...)
	}
	return out
}

// ignored finds references to files that scanning leaves out.
func ignored(v *view) (out fault.List) {
	refs := v.refs
	if n := v.Trees.Own().Keys.Get("entry"); n != nil && v.Setup.Options.Entry == "" && v.noEntry == nil {
		refs = append(refs[:len(refs):len(refs)], reference{item: n, target: v.entry})
	}
	for _, r := range refs {
		if r.faults == nil && r.target.Name != "" && r.target.InProject() && v.scan.Patterns.Ignored(r.target.Name, false) {
			out = append(out, fault.Warn(fault.Config, "%s refers to %s, which the ignore file leaves out when workers are listed", fault.Quoted(r.item.Text), r.target).
				At(r.item.File, r.item.Line, r.item.Column).Hinting("remove it from the ignore file"))
		}
	}
	return out
}

// skillFaults finds what is wrong with the skills that workers can use; a project without such
// a worker may have skills for other programs.
func skillFaults(v *view) (out fault.List) {
	uses := slices.ContainsFunc(v.workers, func(got *project.Loaded) bool {
		return got.Worker != nil && slices.ContainsFunc(got.Worker.Toolsets, func(t project.Toolset) bool { return t.Name == "skills" })
	})
	if !uses {
		return nil
	}
	for _, one := range v.Skills.All() {
		out = append(out, one.Faults...)
	}
	return out
}
