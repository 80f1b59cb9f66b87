package project

// Used returns the workers of the project that can be loaded, in the order of List,
// then those of libraries that they import or may call, directly or through each other.
// It leaves out workers with errors; Check reports these. For a directory of independent
// workers, such as one on GOLEM_PATH, it returns the entry and the workers that it uses.
func (ws *Workers) Used() []*Worker {
	listed, _ := ws.List()
	ws.mu.Lock()
	defer ws.mu.Unlock()
	var queue []Location
	for _, row := range listed {
		if l := ws.trees.Location(row.Path); l.InProject() && !ws.setup.Shelf() {
			queue = append(queue, l)
		}
	}
	if l, f := ws.EntryFile(); f == nil && ws.setup.Shelf() {
		queue = append(queue, l)
	}
	seen := map[Location]bool{}
	var out []*Worker
	for i := 0; i < len(queue); i++ {
		if seen[queue[i]] {
			continue
		}
		seen[queue[i]] = true
		w, err := ws.runnable(queue[i])
		if err != nil {
			continue
		}
		out = append(out, w)
		for _, next := range ws.calledBy(ws.load(queue[i])) {
			if ws.setup.Shelf() || ws.trees.TreeOf(next).Library != "" {
				queue = append(queue, next)
			}
		}
	}
	return out
}

// calledBy returns the workers that a worker imports or may call. It leaves out those
// that '*' stands for in the project, except on a shelf.
func (ws *Workers) calledBy(got *Loaded) []Location {
	var out []Location
	for _, list := range ReferenceLists(got) {
		for _, item := range list.Items {
			switch l, f := ws.names.Resolve(got.Definition.Tree, item.Text, false); {
			case item.Text == "*":
				if !got.Definition.InProject() || ws.setup.Shelf() {
					all, _ := ws.names.Everyone(got.Definition.Location)
					out = append(out, all...)
				}
			case f == nil:
				out = append(out, l)
			}
		}
	}
	for _, by := range ws.Servings(got) {
		out = append(out, by.By)
	}
	return out
}
