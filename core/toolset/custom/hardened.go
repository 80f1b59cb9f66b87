package custom

import (
	"slices"

	"golem/core/fault"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/wasmtool"
)

// Hardened returns the tool of a module that answers for the worker id before its model (SPEC
// §18): the one with the worker's name, or the only one. set is the toolset with that module
// alone. Its calls have the worker's name as a tool. The module can only read files and call
// what calls names, so that it reads the risk read unless its description says more.
func Hardened(set tool.Toolset, id string, calls []string) (tool.Tool, error) {
	c, ok := set.(*custom)
	if !ok || len(c.parts) != 1 {
		return nil, fault.New(fault.ToolContract, "the hardened module of %s cannot be opened", id)
	}
	part, name := c.parts[0], tool.ToolName(id)
	tools := c.tools
	if i := slices.IndexFunc(tools, func(t tool.Tool) bool { return t.Spec().Name == name }); i >= 0 {
		tools = tools[i : i+1]
	}
	if len(tools) != 1 {
		return nil, fault.New(fault.ToolContract, "%s has %s, and none is named %s, as the worker that it answers for", part.Path, fault.Count(len(tools), "tool"), name).
			Hinting("give the module one tool, or name one of its tools %s", name).At(part.Path, 0, 0)
	}
	m, ok := tools[0].(*moduleTool)
	if !ok { // unreachable: all tools of the toolset are
		return tools[0], nil
	}
	return m.answering(name, id, calls, part.bound.Grants), nil
}

// answering returns the tool with the worker's name and the rights of a hardened module.
func (t *moduleTool) answering(name, id string, calls []string, g wasmtool.Grants) *moduleTool {
	spec := t.spec
	spec.Name, spec.Target, spec.Toolset = name, id, hardenedSet
	spec.Files = toolset.Uses(g.Files, "read")
	if spec.Risk == "" && !spec.Network {
		spec.Risk = tool.Read
	}
	if len(spec.Uses) > 0 {
		spec.Uses = slices.Clone(calls)
	}
	if g.Files != nil {
		spec.Rules = []string{"read_file", "sandbox.read"} // what the worker's own reads are subject to
	}
	return &moduleTool{moduleFunction: t.moduleFunction, spec: spec}
}

// hardenedSet is the toolset of hardened modules in approval settings and in the trace.
const hardenedSet = "hardened"
