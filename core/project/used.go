package project

// shelf reports whether the directory is a collection of independent workers, such as
// one of GOLEM_PATH. Then only the entry counts, and what it uses.
func (p *Project) shelf() bool { return p.src.WorkersRoot != "" }

// Used returns the workers of the project that can be loaded, in the order of List,
// then those of libraries that they import or may call, directly or through each other.
// It leaves out workers with errors; Check reports these. For a directory of independent
// workers, such as one on GOLEM_PATH, it returns the entry and the workers that it uses.
func (p *Project) Used() []*Worker {
	listed, _ := p.List()
	p.mu.Lock()
	defer p.mu.Unlock()
	var queue []location
	for _, row := range listed {
		if l := p.place(row.Path); l.inProject() && !p.shelf() {
			queue = append(queue, l)
		}
	}
	if l, f := p.entry(); f == nil && p.shelf() {
		queue = append(queue, l)
	}
	seen := map[location]bool{}
	var out []*Worker
	for i := 0; i < len(queue); i++ {
		if seen[queue[i]] {
			continue
		}
		seen[queue[i]] = true
		w, err := p.runnable(queue[i])
		if err != nil {
			continue
		}
		out = append(out, w)
		for _, next := range p.calledBy(p.load(queue[i])) {
			if p.shelf() || p.sourceOf(next).library != "" {
				queue = append(queue, next)
			}
		}
	}
	return out
}

// calledBy returns the workers that a worker imports or may call. It leaves out those
// that '*' stands for in the project, except on a shelf.
func (p *Project) calledBy(got *loaded) []location {
	var out []location
	for _, list := range referenceLists(got) {
		for _, item := range list.Items {
			switch l, f := p.resolve(got.def.source, item.Text, false); {
			case item.Text == everyName:
				if !got.def.inProject() || p.shelf() {
					all, _ := p.everyWorker(got.def.location)
					out = append(out, all...)
				}
			case f == nil:
				out = append(out, l)
			}
		}
	}
	for _, by := range p.servings(got) {
		out = append(out, by.at)
	}
	return out
}
