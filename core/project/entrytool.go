package project

import (
	"golem/core/config"
	"golem/core/fault"
	"golem/core/tool"
	"golem/core/yamltree"
)

// EntryTool returns the worker on whose behalf a tool runs if that tool is the entry
// (SPEC §6, S3-24). The worker has the manifest's settings and no instructions. nil if
// the entry does not name a tool, or if there are no modules that could have one. Only
// when modules are described is it known whether one of them has the tool; missing is
// the fault to report if none has.
func (ws *Workers) EntryTool(missing *fault.Fault) *Loaded {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	return ws.entryTool(missing)
}

// entryTool does the work of EntryTool. ws.mu must be held.
func (ws *Workers) entryTool(missing *fault.Fault) *Loaded {
	if ws.code != nil {
		return ws.code
	}
	name := ws.setup.Options.Entry
	where := yamltree.Pos{File: ws.trees.Own().Manifest.File, Line: 1, Column: 1}
	if n := ws.trees.Own().Keys.Get("entry"); name == "" && n != nil {
		name, where = n.Text, n.Pos
	}
	if !tool.ValidName(name) || missing.Code != fault.WorkerNotFound {
		return nil
	}
	if where.File == "" {
		where.File = name
	}
	got := &Loaded{Definition: &Definition{Location{Name: where.File}, &config.WorkerFile{
		File: where.File, ID: name, Node: &yamltree.Node{Pos: yamltree.At(where.File, 1, 1), Kind: yamltree.Mapping}, TextAt: yamltree.At(where.File, 1, 1),
	}}}
	got.Worker, got.Keys, got.Faults = ws.build(got.Definition)
	got.Worker.Tool, got.Worker.loaded = name, got
	if found, _ := ws.modules.discovered(got); len(found) == 0 {
		return nil
	}
	got.Worker.missing = missing
	ws.code = got
	return got
}

// Missing returns the error to report if no module has the tool that Worker.Tool names.
func (w *Worker) Missing() error { return w.missing }
