package foreign

import (
	"path"
	"strings"
	"unicode/utf8"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/yamltree"
)

// convert maps one file, by what is in it.
func (m *maker) convert(f read) {
	if !utf8.Valid(f.data) {
		m.lost(f.name, "", "it is not UTF-8 text")
		return
	}
	switch strings.ToLower(path.Ext(f.name)) {
	case ".md", ".markdown":
		m.agent(f)
		return
	case ".json", ".jsonc":
		root, bad := yamltree.ParseJSON(f.name, config.PlainJSON(f.data))
		if bad != nil {
			m.lost(f.name, "", "it is not JSON: "+bad.Message)
			return
		}
		if root.Get("mcpServers") != nil || root.Get("servers") != nil {
			m.serverFile(f)
			return
		}
	}
	root, faults := yamltree.Parse(f.name, withoutInterpreter(f.data))
	if len(faults) > 0 {
		m.lost(f.name, "", "it is not YAML that golem reads: "+faults[0].Message)
		return
	}
	if inner := root.Get("recipe"); inner != nil && inner.Kind == yamltree.Mapping {
		root = inner
	}
	switch {
	case root.Get("agents") != nil && root.Get("agents").Kind == yamltree.Mapping:
		dockerAgents{m}.file(f, root)
	case root.Get("title") != nil && (root.Get("instructions") != nil || root.Get("prompt") != nil):
		gooseRecipe{m}.file(f, root)
	default:
		m.lost(f.name, "", "it is neither an agent, a recipe nor a list of servers")
	}
}

// withoutInterpreter removes a first line #!…, which is a comment.
func withoutInterpreter(data []byte) []byte {
	if strings.HasPrefix(string(data), "#!") {
		if _, rest, ok := strings.Cut(string(data), "\n"); ok {
			return []byte("\n" + rest)
		}
	}
	return data
}

// field notes a key that a mapping does not have in golem.
func (m *maker) unknown(file, at string, n *yamltree.Node, known ...string) {
	if n == nil {
		return
	}
	for _, f := range n.Fields {
		found := false
		for _, k := range known {
			found = found || k == f.Name
		}
		if !found {
			m.lost(file, at+f.Name, "golem has nothing like it")
		}
	}
}

// plain returns a value as JSON has it; nil and a note if that is not possible.
func (m *maker) plain(file, key string, n *yamltree.Node) any {
	v, err := n.Plain()
	if err != nil {
		m.lost(file, key, fault.Of(err, fault.Config).Message)
		return nil
	}
	return v
}
