package config

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
	Key                string
	least, usual, most int64
	doc                string
}

// ModuleLimits are the limits that a grant to a module can have.
var ModuleLimits = []moduleLimit{
	{"memory", 64 << 10, tool.UsualMemory, tool.MostMemory,
		"The memory of a module; default 64MiB. More than that needs tools.memory in your own config.yaml."},
	{"output", 1, tool.UsualOutput, tool.MostOutput,
		"The output of one call; default 1MiB. More than that needs tools.output in your own config.yaml."},
	{"request", 1, tool.UsualRequest, tool.MostRequest,
		"The body of an HTTP request; default 4MiB. More than that needs tools.request in your own config.yaml."},
	{"response", 1, tool.UsualResponse, tool.MostResponse,
		"The body of an HTTP response; default 8MiB. More than that needs tools.response in your own config.yaml."},
}

// totalMemory is how much memory all modules of a process may have together. Only the
// person's config says another.
var totalMemory = moduleLimit{"total_memory", 1 << 20, tool.UsualTotal, 64 << 30,
	"The memory of all modules of a process together."}

// bytesShape returns the shape of the limit. It turns the value into a number of bytes.
func (l moduleLimit) bytesShape() *yamltree.Shape {
	size := yamltree.Size()
	return &yamltree.Shape{Any: true, Of: size, Doc: l.doc, Rewrite: func(c *yamltree.Conformer, n *yamltree.Node, path string) *yamltree.Node {
		out := c.Conform(n, size, path)
		if out == nil {
			return nil
		}
		bytes, _ := out.Size()
		if bytes < l.least || bytes > l.most {
			c.Fail(n.Pos, "", "%s: %s is not possible: the least is %s and the most %s", path, fault.Quoted(n.Text), InUnits(l.least), InUnits(l.most))
			return nil
		}
		return &yamltree.Node{Pos: n.Pos, Kind: yamltree.Scalar, Tag: yamltree.TagInt, Text: strconv.FormatInt(bytes, 10)}
	}}
}

// ceilingsShape returns the shape of tools in a person's config.
func ceilingsShape() *yamltree.Shape {
	keys := map[string]*yamltree.Shape{}
	for _, l := range append(slices.Clone(ModuleLimits), totalMemory) {
		keys[l.Key] = l.bytesShape()
	}
	return yamltree.KeysOf(keys)
}

// InUnits returns a number of bytes with a unit, as people write it in configuration.
func InUnits(n int64) string {
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

// ModulesMemory returns how many bytes of memory all modules of the process may have
// together.
func (c *Person) ModulesMemory() int64 { return c.Ceiling(totalMemory) }
