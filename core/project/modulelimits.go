package project

import (
	"fmt"
	"slices"
	"strconv"

	"golem/core/fault"
	"golem/core/tool"
	"golem/core/yamltree"
)

// moduleLimit is a limit of a tool module in bytes. A project may give a module less
// than usual, and more up to the person's ceiling, which is the usual limit where the
// person's config has no other.
type moduleLimit struct {
	key                string
	least, usual, most int64
}

var moduleLimits = []moduleLimit{
	{"memory", 64 << 10, tool.UsualMemory, tool.MostMemory}, {"output", 1, tool.UsualOutput, tool.MostOutput},
	{"request", 1, tool.UsualRequest, tool.MostRequest}, {"response", 1, tool.UsualResponse, tool.MostResponse},
}

// totalMemory is how much memory all modules of a process may have together. Only the
// person's config says another.
var totalMemory = moduleLimit{"total_memory", 1 << 20, tool.UsualTotal, 64 << 30}

// ModulesMemory returns how many bytes of memory all modules of the process may have
// together.
func (p *Project) ModulesMemory() int64 { return p.src.Config.ceiling(totalMemory) }

// bytesShape returns the shape of the limit. It turns the value into a number of bytes.
func (l moduleLimit) bytesShape() *yamltree.Shape {
	size := yamltree.Size()
	return &yamltree.Shape{Any: true, Rewrite: func(c *yamltree.Conformer, n *yamltree.Node, path string) *yamltree.Node {
		out := c.Conform(n, size, path)
		if out == nil {
			return nil
		}
		bytes, _ := out.Size()
		if bytes < l.least || bytes > l.most {
			c.Fail(n.Pos, "", "%s: %s is not possible: the least is %s and the most %s", path, fault.Quoted(n.Text), inUnits(l.least), inUnits(l.most))
			return nil
		}
		return &yamltree.Node{Pos: n.Pos, Kind: yamltree.Scalar, Tag: yamltree.TagInt, Text: strconv.FormatInt(bytes, 10)}
	}}
}

// ceilingsShape returns the shape of tools in a person's config.
func ceilingsShape() *yamltree.Shape {
	keys := map[string]*yamltree.Shape{}
	for _, l := range append(slices.Clone(moduleLimits), totalMemory) {
		keys[l.key] = l.bytesShape()
	}
	return yamltree.KeysOf(keys)
}

// ceiling returns the most, in bytes, that a project can give a module.
func (c *Config) ceiling(l moduleLimit) int64 {
	n := c.get("tools", l.key)
	if c != nil {
		if here := c.here.Path("tools", l.key); here != nil {
			n = here
		}
	}
	if n == nil {
		return l.usual
	}
	bytes, _ := n.Size()
	return bytes
}

// moduleCeilings adds a fault for each limit in the settings of one module that is
// above the person's.
func (b *built) moduleCeilings(stem string, grant *yamltree.Node) {
	for _, l := range moduleLimits {
		n := grant.Get(l.key)
		if n == nil {
			continue
		}
		bytes, _ := n.Size()
		if most := b.p.src.Config.ceiling(l); bytes > most {
			b.add(n.Pos.Fault(fault.Limit, "toolsets.custom.modules.%s.%s is %s, and your limit for a project's modules is %s", stem, l.key, inUnits(bytes), inUnits(most)).
				Hinting("ask for less, or write tools: {%s: %s} in your own config.yaml, for all projects or for this one under projects", l.key, inUnits(bytes)))
		}
	}
}

// inUnits returns a number of bytes with a unit, as people write it in configuration.
func inUnits(n int64) string {
	for _, u := range []struct {
		name string
		size int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"MB", 1e6}, {"KB", 1e3}} {
		if n%u.size == 0 && n > 0 {
			return fmt.Sprintf("%d%s", n/u.size, u.name)
		}
	}
	return strconv.FormatInt(n, 10)
}
