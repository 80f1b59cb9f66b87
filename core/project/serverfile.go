package project

import (
	"golem/core/config"
	"golem/core/fault"
	"golem/core/yamltree"
)

// serverFile puts the MCP servers of the file that toolsets.mcp.from names into the
// configuration, as if they stood there. What the configuration itself says of a server
// wins; false removes one. The file is of the form that editors and agents use:
// {"mcpServers": {NAME: {…}}}, or {"servers": {…}}.
func (b *built) serverFile() {
	mcp := b.eff.Path("toolsets", "mcp")
	from := mcp.Get("from")
	if from == nil {
		return
	}
	own := mcp.With("from", nil)
	defer func() { b.eff = b.eff.With("toolsets", b.eff.Get("toolsets").With("mcp", own)) }()
	name, inside := config.Inside(from.Text)
	if !inside {
		b.add(from.Pos.Fault(fault.Path, "toolsets.mcp.from: %s is not inside the project", fault.Quoted(from.Text)).Hinting("name a file of the project, such as .mcp.json"))
		return
	}
	l := b.d.In(name)
	data, f := b.ws.trees.read(l, config.MaxFile)
	if f != nil {
		b.add(from.Pos.Fault(f.Code, "toolsets.mcp.from: %s", f.Message).Hinting("%s", f.Hint))
		return
	}
	found, faults := config.ServersIn(l.String(), data)
	b.faults = append(b.faults, faults...)
	if found != nil {
		own = yamltree.Merge(found, own)
	}
}

// EditorFile is the name, in positions, of the MCP servers of Setup.Servers.
const EditorFile = "the editor"

// givenServers adds the MCP servers that an editor offers to the worker that runs start with. A
// server of the same name in the configuration wins. The worker runs without one that the person
// does not trust, or that cannot be started.
func (b *built) givenServers() {
	if len(b.ws.setup.Servers) == 0 {
		return
	}
	if entry, f := b.ws.EntryFile(); f != nil || entry != b.d.Location {
		return
	}
	found, faults := config.ServersIn(EditorFile, b.ws.setup.Servers)
	b.faults = append(b.faults, faults...)
	if found == nil {
		return
	}
	for i, one := range found.Fields {
		found.Fields[i].Value = one.Value.With("optional", &yamltree.Node{Pos: one.Pos, Kind: yamltree.Scalar, Tag: yamltree.TagBool, Text: "true"})
	}
	sets := b.eff.Get("toolsets")
	if sets == nil {
		sets = &yamltree.Node{Pos: found.Pos, Kind: yamltree.Mapping}
	}
	b.eff = b.eff.With("toolsets", sets.With("mcp", yamltree.Merge(found, sets.Get("mcp"))))
}
