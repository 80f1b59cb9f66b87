package project

import (
	"golem/core/fault"
	"golem/core/tool"
	"golem/core/yamltree"
)

// entryTool returns the worker on whose behalf a tool runs if that tool is the entry
// (SPEC §6, S3-24). The worker has the manifest's settings and no instructions. nil if
// the entry does not name a tool, or if there are no modules that could have one. Only
// when modules are described is it known whether one of them has the tool; missing is
// the fault to report if none has.
func (p *Project) entryTool(missing *fault.Fault) *loaded {
	if p.code != nil {
		return p.code
	}
	name := p.src.Entry
	where := yamltree.Pos{File: p.manifest.File, Line: 1, Column: 1}
	if n := p.settings.Get("entry"); name == "" && n != nil {
		name, where = n.Text, n.Pos
	}
	if !tool.ValidName(name) || missing.Code != fault.WorkerNotFound {
		return nil
	}
	if where.File == "" {
		where.File = name
	}
	got := &loaded{def: &definition{
		location: location{name: where.File}, id: name,
		node: &yamltree.Node{Pos: yamltree.At(where.File, 1, 1), Kind: yamltree.Mapping}, textAt: yamltree.At(where.File, 1, 1),
	}}
	got.worker, got.eff, got.faults = p.build(got.def)
	got.worker.Tool = name
	if found, _ := p.modules(got); len(found) == 0 {
		return nil
	}
	got.worker.missing = missing
	p.byWorker[got.worker] = got
	p.code = got
	return got
}

// Missing returns the error to report if no module has the tool that Worker.Tool names.
func (w *Worker) Missing() error { return w.missing }
