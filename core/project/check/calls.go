package check

import (
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/project"
)

// oneFile finds out whether two files in the closure of the entry have the same ID (S2-26).
func oneFile(v *view) (out fault.List) {
	if v.noEntry != nil {
		return nil
	}
	entry := v.entry
	byID := map[string]project.Location{}
	everyone := map[string]bool{}
	queue, seen := []project.Location{entry}, map[project.Location]bool{entry: true}
	for len(queue) > 0 {
		l := queue[0]
		queue = queue[1:]
		got := v.Workers.Load(l)
		if got.Worker == nil {
			continue
		}
		if other, ok := byID[got.Worker.ID]; ok {
			out = append(out, project.TwoFiles(got.Worker.ID, other.String(), l.String()))
		} else {
			byID[got.Worker.ID] = l
		}
		for _, next := range v.named(got, everyone) {
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return out
}

// named returns the workers that a worker imports or allows. It expands '*' only once
// for each source, because after that all its workers are known.
func (v *view) named(got *project.Loaded, everyone map[string]bool) []project.Location {
	var out []project.Location
	for _, list := range project.ReferenceLists(got) {
		for _, item := range list.Items {
			if item.Text == "*" {
				if from := got.Definition.Tree; !everyone[from] {
					everyone[from] = true
					all, _ := v.Names.Everyone(project.Location{Tree: from})
					out = append(out, all...)
				}
				continue
			}
			if l, f := v.Names.Resolve(got.Definition.Tree, item.Text, false); f == nil {
				out = append(out, l)
			}
		}
	}
	for _, by := range v.Workers.Servings(got) {
		out = append(out, by.By)
	}
	return out
}

// lentModels follows the calls from the entry to find workers that have no model of their own
// and use their caller's (SPEC §5). It adds a fault if that model is not among their
// compatible_models.
func lentModels(v *view) (out fault.List) {
	if v.noEntry != nil {
		return nil
	}
	entry := v.entry
	type loan struct {
		to   project.Location
		name string
	}
	seen := map[loan]bool{}
	w := v.Workers.Load(entry).Worker
	if w == nil {
		return nil
	}
	queue := []loan{{entry, w.Model}}
	for len(queue) > 0 {
		here := queue[0]
		queue = queue[1:]
		for _, next := range v.callsOf(here.to) {
			l := loan{next.to, here.name}
			if next.to.Name != everyName {
				got := v.Workers.Load(next.to)
				if got.Worker == nil {
					continue
				}
				if got.Worker.Model != "" {
					l.name = got.Worker.Model
				} else if patterns := got.Definition.Node.Get("compatible_models"); patterns != nil && l.name != "" && !seen[l] {
					if f := got.Worker.Unfit(l.name, "its caller's"); f != nil {
						out = append(out, project.Placed(patterns.Pos, f))
					}
					out = append(out, v.recordedUnfit(got, l.name)...)
				}
			}
			if !seen[l] {
				seen[l] = true
				queue = append(queue, l)
			}
		}
	}
	return out
}

// cycles finds every allowed call that closes a cycle, which a run refuses
// with E_CYCLE. It adds none if '*' or a list of the manifest allows the call, because
// then nobody wrote that call down.
func cycles(v *view) (out fault.List) {
	from := v.order
	if v.noEntry == nil {
		from = append([]project.Location{v.entry}, from...)
	}
	var chain []project.Location
	place := map[project.Location]int{} // the place in chain, from 1; -1 if done
	var visit func(l project.Location)
	visit = func(l project.Location) {
		chain = append(chain, l)
		place[l] = len(chain)
		for _, next := range v.callsOf(l) {
			switch i := place[next.to]; {
			case i == 0:
				visit(next.to)
			case i > 0 && next.item != nil && !v.recursive(next.to):
				out = append(out, v.cycle(next, chain[i-1:]))
			}
		}
		chain = chain[:len(chain)-1]
		place[l] = -1
	}
	for _, l := range from {
		if place[l] == 0 {
			visit(l)
		}
	}
	return out
}

// recursive reports whether a worker may be twice in a chain of calls: it allows
// recursion and lists itself.
func (v *view) recursive(l project.Location) bool {
	w := v.Workers.Load(l).Worker
	if w == nil || !w.Delegation.AllowRecursion {
		return false
	}
	return slices.ContainsFunc(v.calls[l], func(next call) bool { return next.to == l })
}

func (v *view) cycle(closing call, chain []project.Location) *fault.Fault {
	var ids []string
	for _, l := range append(chain[:len(chain):len(chain)], closing.to) {
		if l.Name != everyName {
			ids = append(ids, fault.Brief(v.Trees.WorkerID(l)))
		}
	}
	first := ids[0]
	if n := len(ids); n > 8 {
		ids = append(append(ids[:3:3], "…"), ids[n-3:]...)
	}
	n, remedy := closing.item, "let it list itself and set delegation.allow_recursion"
	if len(ids) == 2 {
		remedy = "set delegation.allow_recursion"
	}
	return fault.Warn(fault.Cycle, "this call would fail in a run, because it is a cycle: %s", strings.Join(ids, " → ")).At(n.File, n.Line, n.Column).
		Hinting("remove %s, or %s in %s", fault.Quoted(n.Text), remedy, first)
}
