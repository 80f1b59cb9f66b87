package project

import (
	"golem/core/fault"
	"golem/core/yamltree"
)

// checker collects all faults of a project for one Check (S2-49). It runs nothing, asks
// no model and writes no file.
type checker struct {
	p        *Project
	platform string
	faults   fault.List
	said     map[string]bool // texts of faults, because a fault of the manifest appears in every worker
	models   map[string]bool
	recorded map[string]string // the model that a recording names, by the recording's name
	queue    []location
	queued   map[location]bool
	order    []location // in the order in which they were checked
	allowed  map[location][]call
}

// Check returns all errors and warnings of the project, sorted, as they would be
// on a platform; "" is Source.Platform. It runs nothing and writes no file.
func (p *Project) Check(platform string) fault.List {
	p.mu.Lock()
	defer p.mu.Unlock()
	if platform == "" {
		platform = p.src.Platform
	}
	c := &checker{p: p, platform: platform, said: map[string]bool{}, models: map[string]bool{}, recorded: map[string]string{}, queued: map[location]bool{}, allowed: map[location][]call{}}
	c.add(p.faults...)
	if p.readGolemLock(); p.pins.fault != nil {
		c.add(p.pins.fault)
	}
	s := p.scan("")
	if p.shelf() {
		s = &scanned{patterns: s.patterns} // files beside the entry are not checked
	} else if main := (location{name: "main.worker"}); p.exists(main) {
		c.push(main)
	}
	c.add(s.faults...)
	if p.blind != "" {
		c.alone(s)
		c.faults.Sort()
		return c.faults
	}
	entry, f := c.entry(s)
	for _, id := range s.ids {
		for _, l := range s.found[id] {
			c.push(l)
		}
	}
	for i := range p.sources {
		c.exports(&p.sources[i])
	}
	if !p.shelf() {
		c.names(s)
		c.twins(s)
	}
	for len(c.queue) > 0 {
		l := c.queue[0]
		c.queue = c.queue[1:]
		c.worker(l, s)
	}
	if f == nil {
		c.oneID(entry)
		c.lent(entry)
		c.order = append([]location{entry}, c.order...)
	}
	c.cycles(c.order)
	c.add(p.passedOverFiles()...)
	c.tools()
	c.add(p.staleLock()...)
	if f := p.engineFault(platform); f != nil {
		c.add(f)
	}
	c.faults.Sort()
	return c.faults
}

// alone checks each worker file by itself, if the project file cannot be read.
func (c *checker) alone(s *scanned) {
	if main := (location{name: "main.worker"}); c.p.exists(main) {
		c.add(c.p.load(main).own...)
	}
	for _, id := range s.ids {
		for _, l := range s.found[id] {
			c.add(c.p.load(l).own...)
		}
	}
}

// entry finds the entry and queues it if it is a worker.
func (c *checker) entry(s *scanned) (location, *fault.Fault) {
	p := c.p
	entry, f := p.entry()
	var code *loaded
	if f != nil {
		code = p.entryTool(f)
	}
	switch {
	case code != nil:
		c.judge(code, s) // whether a module has the tool is not known here
	case f == nil:
		if n := p.settings.Get("entry"); n != nil && p.src.Entry == "" {
			c.ignored(s, entry, n)
		}
		c.push(entry)
	case f.Code != fault.Project || len(p.manifest.Exports) == 0:
		c.add(f) // a project that only exports workers needs no entry
	}
	return entry, f
}

// tools adds the faults of source code that was not built, and of modules in tools.lock
// that do not exist.
func (c *checker) tools() {
	p := c.p
	if p.src.Flags.NoImportTools {
		return
	}
	for _, s := range p.scope("") {
		if !s.bare {
			c.add(p.unbuilt(location{s.name, "."})...)
			c.add(p.passedOver(location{s.name, "."})...)
		}
	}
	c.add(p.lockedButGone()...)
}

func (c *checker) push(l location) {
	if !c.queued[l] {
		c.queued[l] = true
		c.queue = append(c.queue, l)
	}
}

func (c *checker) add(faults ...*fault.Fault) {
	for _, f := range faults {
		text := f.Error()
		if f.Code == fault.ToolLanguage {
			text = f.Message // reported where a worker names it, otherwise at its own path
		}
		if !c.said[text] {
			c.said[text] = true
			c.faults = append(c.faults, f)
		}
	}
}

func (c *checker) worker(l location, s *scanned) {
	got := c.p.load(l)
	c.order = append(c.order, l)
	c.judge(got, s)
}

// judge adds the faults of a worker and queues the workers that it names.
func (c *checker) judge(got *loaded, s *scanned) {
	p := c.p
	c.add(got.faults...)
	if got.worker == nil {
		return
	}
	c.add(p.toolsetFaults(got, c.platform)...)
	_, faults := p.modules(got)
	c.add(faults...)
	if dir := got.ownDir(); dir != "" && !p.src.Flags.NoImportTools {
		c.add(p.unbuilt(got.def.at(dir))...)
		c.add(p.passedOver(got.def.at(dir))...)
	}
	c.model(got)
	allowed := got.eff.Path("toolsets", "workers", "allowed_workers")
	for _, list := range referenceLists(got) {
		for _, item := range list.Items {
			if item.Text == "*" && list == allowed {
				c.allowed[got.def.location] = append(c.allowed[got.def.location], call{to: everyone(got.def.source)})
				if !got.def.inProject() || p.shelf() { // all workers of the project are checked anyway
					all, faults := p.everyWorker(got.def.location)
					c.add(faults...)
					for _, l := range all {
						c.push(l)
					}
				}
				continue
			}
			target, f := p.resolve(got.def.source, item.Text, false)
			if f != nil {
				if list != allowed || !p.mayBeTool(got, item.Text, f) {
					c.add(f.At(item.File, item.Line, item.Column))
				}
				continue
			}
			if list == allowed {
				c.allowed[got.def.location] = append(c.allowed[got.def.location], call{own(got, item), target})
			}
			c.ignored(s, target, item)
			c.push(target)
		}
	}
	for _, by := range c.p.servings(got) {
		c.allowed[got.def.location] = append(c.allowed[got.def.location], call{own(got, by.item), by.at})
		c.push(by.at)
	}
}

// ignored adds a warning if a reference names a file that scanning leaves out.
func (c *checker) ignored(s *scanned, target location, ref *yamltree.Node) {
	if target.inProject() && s.ignored(target.name, false) {
		c.add(fault.Warn(fault.Config, "%s refers to %s, which the ignore file leaves out when workers are listed", fault.Quoted(ref.Text), target).
			At(ref.File, ref.Line, ref.Column).Hinting("remove it from the ignore file"))
	}
}

// model asks the host whether the effective model can be opened, once for
// each model and place.
func (c *checker) model(got *loaded) {
	for _, w := range got.worker.Models() {
		c.oneModel(got, w.Model)
		if !got.worker.ModelIsLast {
			c.recordedFits(got, w.Model)
		}
	}
	c.add(c.p.strangePatterns(got)...)
}

// recordedFits adds a fault if name is a recording of a model that the worker's
// compatible_models do not allow.
func (c *checker) recordedFits(got *loaded, name string) {
	patterns, recorded := got.def.node.Get("compatible_models"), c.recorded[name]
	if patterns == nil || recorded == "" {
		return
	}
	if f := got.worker.unfit(recorded, "recorded in "+name); f != nil {
		c.add(orNowhere(patterns.Pos, f))
	}
}

func (c *checker) oneModel(got *loaded, name string) {
	origin := got.worker.Origins["model"]
	if c.p.src.CheckModel == nil || name == "" || modelProblem(name) != "" || c.models[name+"\x00"+origin] {
		return
	}
	c.models[name+"\x00"+origin] = true
	recorded, err := c.p.src.CheckModel(name, origin, c.platform)
	if err == nil {
		c.recorded[name] = recorded
		return
	}
	where := yamltree.Pos{}
	for _, n := range []*yamltree.Node{got.def.node.Get("model"), c.p.settings.Get("model")} {
		if n != nil && n.Pos.String() == origin {
			where = n.Pos
		}
	}
	for _, bad := range faultsOf(err, fault.Model) {
		if bad.Where == nil || bad.Where.File == "" { // otherwise the fault is in the script
			bad = orNowhere(where, bad)
		}
		c.add(bad)
	}
}

// oneID adds a fault if two files in the closure of the entry have the same ID (S2-26).
func (c *checker) oneID(entry location) {
	byID := map[string]location{}
	everyone := map[string]bool{}
	queue, seen := []location{entry}, map[location]bool{entry: true}
	for len(queue) > 0 {
		l := queue[0]
		queue = queue[1:]
		got := c.p.load(l)
		if got.worker == nil {
			continue
		}
		if other, ok := byID[got.worker.ID]; ok {
			c.add(twoFiles(got.worker.ID, other.String(), l.String()))
		} else {
			byID[got.worker.ID] = l
		}
		for _, next := range c.named(got, everyone) {
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
}

// named returns the workers that a worker imports or allows. It expands '*' only once
// for each source, because after that all its workers are known.
func (c *checker) named(got *loaded, everyone map[string]bool) []location {
	var out []location
	for _, list := range referenceLists(got) {
		for _, item := range list.Items {
			if item.Text == "*" {
				if from := got.def.source; !everyone[from] {
					everyone[from] = true
					all, _ := c.p.everyWorker(location{source: from})
					out = append(out, all...)
				}
				continue
			}
			if l, f := c.p.resolve(got.def.source, item.Text, false); f == nil {
				out = append(out, l)
			}
		}
	}
	for _, by := range c.p.servings(got) {
		out = append(out, by.at)
	}
	return out
}

// referenceLists returns the lists of references in a worker's configuration.
func referenceLists(got *loaded) []*yamltree.Node {
	var out []*yamltree.Node
	for _, n := range []*yamltree.Node{got.eff.Path("toolsets", "workers", "allowed_workers"), got.eff.Path("imports", "workers")} {
		if n != nil {
			out = append(out, n)
		}
	}
	return out
}
