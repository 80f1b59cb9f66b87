package foreign

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golem/core/sorting"
)

// project returns the files of the project.
func (m *maker) project(title string) *Project {
	if len(m.workers) == 0 { // servers alone
		w := m.newWorker(m.found[0].name, "main")
		w.description = "Works with the tools of the MCP servers."
		w.body = "Do what you are asked with the tools that you have. Say so if they cannot do it.\n"
		for _, name := range m.order {
			w.only[name] = nil
		}
		m.notes[len(m.notes)-1] = Note{File: m.found[0].name, Key: "no agent", As: "worker main", Why: "the servers need a worker that uses them"}
	}
	m.lendServers()
	p := &Project{Entry: m.entry != nil || len(m.workers) == 1, Variables: slices.Sorted(maps.Keys(m.vars))}
	var exports []string
	for _, w := range m.workers {
		p.Files = append(p.Files, File{Name: "workers/" + w.id + ".worker", Text: w.text(func(called string) string { return m.idOf(w, called) })})
		p.Workers = append(p.Workers, w.id)
		exports = append(exports, "workers/"+w.id)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "schema_version: 1\nname: %s\n", oneLine(title))
	if m.entry == nil && len(m.workers) == 1 {
		m.entry = m.workers[0]
	}
	if m.entry != nil {
		fmt.Fprintf(&b, "entry: %s\n", oneLine("workers/"+m.entry.id))
	}
	fmt.Fprintf(&b, "exports: %s\n", oneLine(exports))
	if len(m.rules) > 0 {
		fmt.Fprintf(&b, "approval: %s\n", oneLine(map[string]any{"rules": m.rules}))
	}
	p.Files = append(p.Files, File{Name: "project.yaml", Text: b.String()})
	p.Notes = m.inOrder()
	return p
}

// inOrder returns the notes, those of one file together.
func (m *maker) inOrder() []Note {
	first := map[string]int{}
	for i, n := range m.notes {
		if _, is := first[n.File]; !is {
			first[n.File] = i
		}
	}
	out := slices.Clone(m.notes)
	sorting.By(out, func(a, b Note) int { return first[a.File] - first[b.File] })
	return out
}

// idOf returns the ID of a worker that another one calls; "" and a note if there is none.
func (m *maker) idOf(by *worker, called string) string {
	for _, w := range m.workers {
		if file, is := strings.CutPrefix(called, "file "); is && w.from == file || !is && w.called == called && w.from == by.from {
			return w.id
		}
	}
	m.lost(by.from, "calls "+inNote(called), "no worker was made of it")
	return ""
}

// lendServers gives workers the servers of lists that they named, and those that named no
// tools all of them, as the other programs do.
func (m *maker) lendServers() {
	for _, w := range m.workers {
		for _, called := range slices.Sorted(maps.Keys(w.only)) {
			for _, name := range m.order {
				if called != name && strings.ReplaceAll(called, "-", "_") == strings.ReplaceAll(name, "-", "_") {
					w.only[name] = w.only[called]
					delete(w.only, called)
				}
			}
		}
		all := w.tools.read && w.tools.write && w.tools.shell && w.tools.web && len(w.only) == 0 && strings.HasSuffix(w.from, ".md")
		for _, name := range m.order {
			if _, named := w.only[name]; named || all {
				w.servers[name] = m.servers[name]
				tools := "all tools"
				if named && w.only[name] != nil {
					tools = strings.Join(w.only[name], ", ")
				}
				m.mapped(w.from, "MCP server "+inNote(name), "toolsets.mcp."+name, tools)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(w.only)) {
			if w.servers[name] == nil {
				m.lost(w.from, "tools mcp__"+inNote(name), "no such server was found: import the directory that has its .mcp.json, too")
				delete(w.only, name)
			}
		}
	}
	m.dropUnused()
}

// dropUnused says of the servers of lists that no worker uses that they are not in the project.
func (m *maker) dropUnused() {
	for _, name := range m.order {
		s := m.servers[name]
		if slices.ContainsFunc(m.workers, func(w *worker) bool { return w.servers[name] == s }) {
			continue
		}
		key := "server " + inNote(name)
		m.notes = slices.DeleteFunc(m.notes, func(n Note) bool {
			return n.File == s.file && (n.Key == key && n.As != "" || strings.HasPrefix(n.Key, key+" "))
		})
		m.lost(s.file, key, "the tools of each agent are listed, and none is mcp__"+name+": write the server under toolsets.mcp of the worker that needs it")
	}
	for variable := range m.vars {
		if !slices.ContainsFunc(m.notes, func(n Note) bool { return n.As == "{env: "+variable+"}" }) {
			delete(m.vars, variable)
		}
	}
}
