package check

import (
	"golem/core/config"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/yamltree"
)

// view has the parts of a project that the checks read.
type view struct {
	*project.Project
	platform string

	scan    *project.Scan // of a collection of independent workers only the patterns
	entry   project.Location
	noEntry *fault.Fault // there is no such file
	byTool  bool         // the entry may be a tool

	workers []*project.Loaded  // those of the project, and those that they name, in order
	order   []project.Location // theirs, without an entry that is a tool
	refs    []reference
	calls   map[project.Location][]call
	known   Models // nil: only the form of their names is checked
	models  map[modelAt]answer

	queued map[project.Location]bool
}

// reference is an item of a list of workers in a worker's settings.
type reference struct {
	item   *yamltree.Node
	target project.Location
	faults fault.List // it names none; target does not count
}

// call is one worker that another one is allowed to call.
type call struct {
	item *yamltree.Node // where the worker's own file allows it; nil for '*' and for a list of the manifest
	to   project.Location
}

// everyName is the name of the node that stands for '*' of a tree in the graph of calls.
const everyName = "*"

// modelAt is a model and where its name was given.
type modelAt struct{ name, origin string }

// answer is what the platform says about a model.
type answer struct {
	recorded string // the model that a recording names
	err      error
}

// resolve finds all that the checks need to know.
func resolve(p *project.Project, platform string, known Models) *view {
	v := &view{
		Project: p, platform: platform, known: known, scan: p.Names.Scan(""), calls: map[project.Location][]call{},
		models: map[modelAt]answer{}, queued: map[project.Location]bool{},
	}
	if p.Setup.Shelf() {
		v.scan = &project.Scan{Patterns: v.scan.Patterns, Faults: nil} // files beside the entry are not checked
	} else if main := (project.Location{Name: "main.worker"}); p.Trees.Exists(main) {
		v.push(main)
	}
	if p.Blind == "" {
		v.findEntry()
	}
	for _, id := range v.scan.IDs {
		for _, l := range v.scan.Found[id] {
			v.push(l)
		}
	}
	if p.Blind != "" {
		for _, l := range v.order {
			v.workers = append(v.workers, p.Workers.Load(l))
		}
		return v
	}
	for _, ref := range p.Manifest.Exports {
		if l, f := p.Names.Resolve("", ref, true); f == nil && l.InProject() {
			v.push(l)
		}
	}
	for i := 0; i < len(v.order); i++ { // it grows
		v.add(p.Workers.Load(v.order[i]))
	}
	return v
}

// push puts a worker into the order in which they are looked at, once.
func (v *view) push(l project.Location) {
	if !v.queued[l] {
		v.queued[l] = true
		v.order = append(v.order, l)
	}
}

// findEntry finds the entry, which is a worker or a tool.
func (v *view) findEntry() {
	v.entry, v.noEntry = v.Workers.EntryFile()
	if v.noEntry == nil {
		v.push(v.entry)
		return
	}
	if code := v.Workers.EntryTool(v.noEntry); code != nil {
		v.byTool = true // whether a module has the tool is not known here
		v.add(code)
	}
}

// add adds a worker with its models, and queues the workers that it names.
func (v *view) add(got *project.Loaded) {
	v.workers = append(v.workers, got)
	if got.Worker == nil {
		return
	}
	for _, w := range got.Worker.Models() {
		v.ask(w.Model, got.Worker.Origins["model"])
	}
	at := got.Definition.Location
	allowed := got.Keys.Path("toolsets", "workers", "allowed_workers")
	for _, list := range project.ReferenceLists(got) {
		for _, item := range list.Items {
			if item.Text == everyName && list == allowed {
				v.calls[at] = append(v.calls[at], call{to: project.Location{Tree: at.Tree, Name: everyName}})
				if !at.InProject() || v.Setup.Shelf() { // all workers of the project are checked anyway
					all, faults := v.Names.Everyone(at)
					v.refs = append(v.refs, reference{item: item, faults: faults})
					for _, l := range all {
						v.push(l)
					}
				}
				continue
			}
			target, f := v.Names.Resolve(at.Tree, item.Text, false)
			if f != nil {
				if list != allowed || !v.Workers.MayBeTool(got, item.Text, f) {
					v.refs = append(v.refs, reference{item: item, faults: fault.List{f.At(item.File, item.Line, item.Column)}})
				}
				continue
			}
			if list == allowed {
				v.calls[at] = append(v.calls[at], call{ownItem(got, item), target})
			}
			v.refs = append(v.refs, reference{item: item, target: target})
			v.push(target)
		}
	}
	for _, by := range v.Workers.Servings(got) {
		v.calls[at] = append(v.calls[at], call{ownItem(got, by.Item), by.By})
		v.push(by.By)
	}
}

// ask asks whether a model can be opened, once for each model and place.
func (v *view) ask(name, origin string) {
	at := modelAt{name, origin}
	if _, asked := v.models[at]; asked || v.known == nil || name == "" || config.ModelProblem(name) != "" {
		return
	}
	recorded, err := v.known.Check(name, origin, v.platform)
	v.models[at] = answer{recorded, err}
}

// ownItem returns an item that is in the worker's own file, and nil for any other.
func ownItem(got *project.Loaded, item *yamltree.Node) *yamltree.Node {
	if item.File == got.Definition.String() {
		return item
	}
	return nil
}

// callsOf returns the workers that a worker may call, in the order of its list.
func (v *view) callsOf(from project.Location) []call {
	if from.Name != everyName {
		return v.calls[from]
	}
	all, _ := v.Names.Everyone(project.Location{Tree: from.Tree})
	out := make([]call, len(all))
	for i, l := range all {
		out[i] = call{to: l}
	}
	return out
}
