package project

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
)

// checker gathers every fault of a project in one go (S2-49). It runs
// nothing, asks no model and writes no file.
type checker struct {
	p        *Project
	platform string
	faults   fault.List
	said     map[string]bool // one fault in the manifest shows in every worker
	models   map[string]bool
	queue    []location
	queued   map[location]bool
}

// Check returns every problem of the project, sorted, as it would be on the
// given platform ("" is Source.Platform). Warnings are among them.
func (p *Project) Check(platform string) fault.List {
	p.mu.Lock()
	defer p.mu.Unlock()
	if platform == "" {
		platform = p.src.Platform
	}
	c := &checker{p: p, platform: platform, said: map[string]bool{}, models: map[string]bool{}, queued: map[location]bool{}}
	c.add(p.faults...)
	if p.settings == nil && p.faults.Err() != nil {
		c.faults.Sort()
		return c.faults // where the workers are is not known
	}
	s := p.scan()
	c.add(s.faults...)
	if main := (location{name: "main.worker"}); p.exists(main) {
		c.push(main)
	}
	entry, f := p.entry()
	switch {
	case f == nil:
		if n := p.settings.get("entry"); n != nil && p.src.Entry == "" {
			c.ignored(s, entry, n)
		}
		c.push(entry)
	case f.Code != fault.Project || len(p.manifest.Exports) == 0:
		c.add(f) // what only exports needs no entry
	}
	for _, id := range s.ids {
		for _, l := range s.found[id] {
			c.push(l)
		}
	}
	for len(c.queue) > 0 {
		l := c.queue[0]
		c.queue = c.queue[1:]
		c.worker(l, s)
	}
	if f == nil {
		c.oneID(entry)
	}
	if !p.src.Flags.NoImportTools {
		c.add(p.discovered(".")...)
	}
	c.faults.Sort()
	return c.faults
}

func (c *checker) push(l location) {
	if !c.queued[l] {
		c.queued[l] = true
		c.queue = append(c.queue, l)
	}
}

func (c *checker) add(faults ...*fault.Fault) {
	for _, f := range faults {
		if text := f.Error(); !c.said[text] {
			c.said[text] = true
			c.faults = append(c.faults, f)
		}
	}
}

func (c *checker) worker(l location, s *scanned) {
	p := c.p
	got := p.load(l)
	c.add(got.faults...)
	if got.worker == nil {
		return
	}
	c.add(p.toolsetFaults(got, c.platform, nil)...)
	c.add(p.toolModuleFaults(got)...)
	if strings.HasSuffix(l.name, "/worker.worker") && !l.builtin && !p.src.Flags.NoImportTools {
		c.add(p.discovered(path.Dir(l.name))...)
	}
	c.model(got)
	for _, list := range referenceLists(got) {
		for _, item := range list.items {
			if item.text == "*" && list == got.eff.path("toolsets", "workers", "allowed_workers") {
				continue // all of them are checked anyway
			}
			target, f := p.resolve(item.text, false)
			if f != nil {
				c.add(f.At(item.file, item.line, item.column))
				continue
			}
			c.ignored(s, target, item)
			c.push(target)
		}
	}
}

// ignored warns of a reference to a file that scanning leaves out.
func (c *checker) ignored(s *scanned, target location, ref *node) {
	if !target.builtin && s.ignored(target.name) {
		c.add(fault.Warn(fault.Config, "%s refers to %s, which is ignored when workers are listed", quoted(ref.text), target).
			At(ref.file, ref.line, ref.column).Hinting("take it out of the ignore file"))
	}
}

// model asks the host whether the effective model can be opened, once for
// each model and place.
func (c *checker) model(got *loaded) {
	name, origin := got.worker.Model, got.worker.Origins["model"]
	if c.p.src.CheckModel == nil || name == "" || modelProblem(name) != "" || c.models[name+"\x00"+origin] {
		return
	}
	c.models[name+"\x00"+origin] = true
	err := c.p.src.CheckModel(name)
	if err == nil {
		return
	}
	where := at{}
	for _, n := range []*node{got.def.node.get("model"), c.p.settings.get("model")} {
		if n != nil && n.at.String() == origin {
			where = n.at
		}
	}
	c.add(where.orNowhere(fault.Of(err, fault.Model)))
}

// oneID walks the closure of the entry and finds two files with one ID in it
// (S2-26).
func (c *checker) oneID(entry location) {
	byID := map[string]location{}
	everyone := false
	todo, seen := []location{entry}, map[location]bool{entry: true}
	for len(todo) > 0 {
		l := todo[0]
		todo = todo[1:]
		got := c.p.load(l)
		if got.worker == nil {
			continue
		}
		if other, ok := byID[got.worker.ID]; ok {
			c.add(twoFiles(got.worker.ID, other.String(), l.String()))
		} else {
			byID[got.worker.ID] = l
		}
		for _, next := range c.named(got, &everyone) {
			if !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
}

// named are the workers a worker imports or allows; '*' is expanded only
// once, since after that everyone was seen.
func (c *checker) named(got *loaded, everyone *bool) []location {
	var out []location
	for _, list := range referenceLists(got) {
		for _, item := range list.items {
			if item.text == "*" {
				if !*everyone {
					*everyone = true
					all, _ := c.p.everyWorker(location{})
					out = append(out, all...)
				}
				continue
			}
			if l, f := c.p.resolve(item.text, false); f == nil {
				out = append(out, l)
			}
		}
	}
	return out
}

// referenceLists are the lists of references in a worker's configuration.
func referenceLists(got *loaded) []*node {
	var out []*node
	for _, n := range []*node{got.eff.path("toolsets", "workers", "allowed_workers"), got.eff.path("imports", "workers")} {
		if n != nil {
			out = append(out, n)
		}
	}
	return out
}

// discovered looks where tool modules are found without being named:
// tools.wasm and tools/ of a directory, direct children only. Source that was
// not built is a fault of its own (S1-13).
func (p *Project) discovered(dir string) fault.List {
	var names []string
	for _, ext := range append([]string{".wasm"}, sources...) {
		if name := path.Join(dir, "tools"+ext); p.exists(location{name: name}) {
			names = append(names, name)
		}
	}
	entries, err := fs.ReadDir(p.src.FS, path.Join(dir, "tools"))
	if err == nil {
		for _, e := range entries {
			ext := path.Ext(e.Name())
			if !e.IsDir() && e.Name() != "__init__.py" && (ext == ".wasm" || slices.Contains(sources, ext)) {
				names = append(names, path.Join(dir, "tools", e.Name()))
			}
		}
	}
	var faults fault.List
	for _, name := range names {
		stem := strings.TrimSuffix(name, path.Ext(name))
		f := notYet(name)
		switch {
		case path.Ext(name) != ".wasm" && slices.Contains(names, stem+".wasm"):
			continue
		case path.Ext(name) != ".wasm":
			f = p.toolModuleFault(name)
		}
		faults = append(faults, f.At(name, 1, 1))
	}
	return faults
}

// Warnings tells what the run of w leaves out without failing: tools that lie
// where they would be found but cannot be offered. Nothing is said under
// --no-import-tools.
func (p *Project) Warnings(w *Worker) fault.List {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.src.Flags.NoImportTools {
		return nil
	}
	faults := p.discovered(".")
	if got := p.byWorker[w]; got != nil && !got.def.builtin && strings.HasSuffix(got.def.name, "/worker.worker") {
		faults = append(faults, p.discovered(path.Dir(got.def.name))...)
	}
	for i, f := range faults {
		c := *f
		c.Severity = fault.Warning
		faults[i] = &c
	}
	faults.Sort()
	return faults
}
