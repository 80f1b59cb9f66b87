package project

import (
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

// call is one worker that another one is allowed to call.
type call struct {
	item *yamltree.Node // where the worker's own file allows it; nil for '*' and for a list of the manifest
	to   location
}

// everyone returns the node that stands for '*' of a source in the graph of calls.
func everyone(source string) location { return location{source, everyName} }

const everyName = "*"

// own returns an item that is in the worker's own file, and nil for any other.
func own(l *loaded, item *yamltree.Node) *yamltree.Node {
	if item.File == l.def.String() {
		return item
	}
	return nil
}

// calls returns the workers that a worker may call, in the order of its list.
func (c *checker) calls(from location) []call {
	if from.name == everyName {
		var out []call
		all, _ := c.p.everyWorker(location{source: from.source})
		for _, l := range all {
			out = append(out, call{to: l})
		}
		return out
	}
	return c.allowed[from]
}

// cycles adds a warning for every allowed call that closes a cycle, which a run refuses
// with E_CYCLE. It adds none if '*' or a list of the manifest allows the call, because
// then nobody wrote that call down.
func (c *checker) cycles(from []location) {
	var chain []location
	place := map[location]int{} // the place in chain, from 1; -1 if done
	var visit func(l location)
	visit = func(l location) {
		chain = append(chain, l)
		place[l] = len(chain)
		for _, next := range c.calls(l) {
			switch i := place[next.to]; {
			case i == 0:
				visit(next.to)
			case i > 0 && next.item != nil && !c.recursive(next.to):
				c.add(c.cycle(next, chain[i-1:]))
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
}

// recursive reports whether a worker may be twice in a chain of calls: it allows
// recursion and lists itself.
func (c *checker) recursive(l location) bool {
	w := c.p.load(l).worker
	if w == nil || !w.Delegation.AllowRecursion {
		return false
	}
	for _, next := range c.allowed[l] {
		if next.to == l {
			return true
		}
	}
	return false
}

func (c *checker) cycle(closing call, chain []location) *fault.Fault {
	var ids []string
	for _, l := range append(chain[:len(chain):len(chain)], closing.to) {
		if l.name != everyName {
			ids = append(ids, fault.Brief(c.p.workerID(l)))
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

// lent follows the calls from the entry to find workers that have no model of their own
// and use their caller's (SPEC §5). It adds a fault if that model is not among their
// compatible_models.
func (c *checker) lent(entry location) {
	type loan struct {
		to   location
		name string
	}
	seen := map[loan]bool{}
	w := c.p.load(entry).worker
	if w == nil {
		return
	}
	queue := []loan{{entry, w.Model}}
	for len(queue) > 0 {
		here := queue[0]
		queue = queue[1:]
		for _, next := range c.calls(here.to) {
			l := loan{next.to, here.name}
			if next.to.name != everyName {
				got := c.p.load(next.to)
				if got.worker == nil {
					continue
				}
				if got.worker.Model != "" {
					l.name = got.worker.Model
				} else if patterns := got.def.node.Get("compatible_models"); patterns != nil && l.name != "" && !seen[l] {
					if f := got.worker.unfit(l.name, "its caller's"); f != nil {
						c.add(orNowhere(patterns.Pos, f))
					}
					c.recordedFits(got, l.name)
				}
			}
			if !seen[l] {
				seen[l] = true
				queue = append(queue, l)
			}
		}
	}
}
