package foreign

import (
	"path"
	"strings"

	"golem/core/yamltree"
)

// kinds are the tools of other programs, by their names in small letters, and what golem has
// in their place.
var kinds = map[string]string{
	"read": "read", "glob": "read", "grep": "read", "ls": "read", "list": "read", "notebookread": "read", "codesearch": "read", "lsp": "read",
	"edit": "write", "write": "write", "multiedit": "write", "notebookedit": "write", "patch": "write", "apply_patch": "write", "create": "write",
	"bash": "shell", "shell": "shell", "bashoutput": "shell", "killshell": "shell", "powershell": "shell",
	"webfetch": "web", "websearch": "web", "fetch": "web",
}

// grant gives a worker the toolset of a kind of tools, and returns its name.
func (r *rights) grant(kind string) string {
	switch kind {
	case "read":
		r.read = true
		return "toolset filesystem, reading"
	case "write":
		r.read, r.write = true, true
		return "toolset filesystem"
	case "shell":
		r.shell = true
		return "toolset shell"
	}
	r.web = true
	return "toolset web"
}

// agentTools maps the tools of an agent: a list of names, or names with true and false.
func (m *maker) agentTools(w *worker, n *yamltree.Node) {
	if n.Kind != yamltree.Mapping {
		for _, name := range words(n) {
			m.agentTool(w, name)
		}
		return
	}
	// In OpenCode all tools are there that are not switched off.
	off := map[string]bool{}
	star := n.Get("*")
	for _, f := range n.Fields {
		if f.Name == "*" {
			continue
		}
		kind := kinds[strings.ToLower(f.Name)]
		switch {
		case f.Value.Flag() && star != nil && !star.Flag():
			m.agentTool(w, f.Name)
		case f.Value.Flag():
			m.mapped(w.from, "tools."+f.Name, "it is there", "all tools are there that are not switched off")
		case kind == "":
			m.lost(w.from, "tools."+f.Name, "golem has no such tool")
		default:
			off[kind] = true
			m.mapped(w.from, "tools."+f.Name, "not given", "")
		}
	}
	if star != nil && !star.Flag() {
		return
	}
	for _, kind := range []string{"read", "write", "shell", "web"} {
		if !off[kind] {
			w.tools.grant(kind)
		}
	}
	if off["read"] {
		w.tools.block(readers...)
	}
	if off["write"] {
		w.tools.write = false
	}
}

// agentTool maps one tool that an agent has.
func (m *maker) agentTool(w *worker, name string) {
	bare, within, pattern := strings.Cut(name, "(")
	within = strings.TrimSuffix(within, ")")
	kind := kinds[strings.ToLower(strings.TrimSpace(bare))]
	switch {
	case bare == "*":
		for _, k := range []string{"read", "write", "shell", "web"} {
			w.tools.grant(k)
		}
		m.mapped(w.from, "tools *", "toolsets filesystem, shell and web", "")
	case strings.HasPrefix(bare, "mcp__"):
		m.serverTool(w, bare)
	case kind == "":
		m.lost(w.from, "tools "+inNote(name), "golem has no such tool")
	case pattern:
		m.mapped(w.from, "tools "+inNote(name), w.tools.grant(kind), "that "+inNote(within)+" is allowed is not mapped: golem asks about each call")
	default:
		m.mapped(w.from, "tools "+inNote(name), w.tools.grant(kind), "")
	}
}

// serverTool gives a worker one tool of an MCP server, or all: mcp__SERVER__TOOL. Whether
// there is such a server is known when all files are read.
func (m *maker) serverTool(w *worker, name string) {
	name, one, some := strings.Cut(strings.TrimPrefix(name, "mcp__"), "__")
	if !some || one == "*" || one == "" {
		w.only[name] = nil
		return
	}
	if all, is := w.only[name]; !is || all != nil {
		w.only[name] = append(w.only[name], one)
	}
}

// deny maps a tool that an agent must not use.
func (m *maker) deny(w *worker, key, name string) {
	bare, within, pattern := strings.Cut(name, "(")
	within = strings.TrimSuffix(within, ")")
	kind := kinds[strings.ToLower(strings.TrimSpace(bare))]
	switch {
	case kind == "":
		m.lost(w.from, key+" "+inNote(name), "golem has no such tool")
	case pattern && kind == "shell":
		m.denyCommand(w.from, key+" "+inNote(name), within)
	case pattern && (kind == "read" || kind == "write"):
		m.denyPath(w.from, key+" "+inNote(name), kind, within)
	default:
		w.tools.block(toolsOf(kind)...)
		m.mapped(w.from, key+" "+inNote(name), "blocked", "")
	}
}

func toolsOf(kind string) []string {
	switch kind {
	case "read":
		return readers
	case "write":
		return writers
	case "shell":
		return runners
	}
	return fetches
}

// denyCommand blocks commands for all workers: a rule can be in the manifest only, and
// blocking more than before does no harm.
func (m *maker) denyCommand(file, key, pattern string) {
	pattern = strings.TrimSpace(strings.ReplaceAll(pattern, ":*", " *"))
	if !plainPattern(pattern) || pattern == "*" {
		m.lost(file, key, "golem does not read this pattern: block the commands with approval.rules in project.yaml")
		return
	}
	m.rules = append(m.rules, map[string]any{"tool": "run_command", "when": map[string]any{"command": pattern}, "decide": "blocked"})
	m.mapped(file, key, "blocked, by approval.rules of the project", "it holds for every worker of the project")
}

// denyPath blocks calls for files of a pattern, for all workers.
func (m *maker) denyPath(file, key, kind, pattern string) {
	pattern = "/" + strings.TrimPrefix(strings.TrimPrefix(pattern, "./"), "/")
	if !plainPattern(pattern) || strings.Contains(pattern, "..") {
		m.lost(file, key, "golem does not read this pattern: block the paths with approval.rules in project.yaml")
		return
	}
	for _, name := range toolsOf(kind) {
		for _, argument := range pathsOf[name] {
			m.rules = append(m.rules, map[string]any{"tool": name, "when": map[string]any{argument: pattern}, "decide": "blocked"})
		}
	}
	m.mapped(file, key, "blocked, by approval.rules of the project", "it holds for every worker of the project")
}

// pathsOf are the arguments with a path, by the tool.
var pathsOf = map[string][]string{
	"read_file": {"path"}, "list_files": {"path"}, "file_info": {"path"}, "file_exists": {"path"}, "search_files": {"path"},
	"write_file": {"path"}, "edit_file": {"path"}, "delete_file": {"path"}, "make_directory": {"path"}, "move_file": {"from", "to"},
}

// plainPattern reports whether a pattern means the same for golem.
func plainPattern(pattern string) bool {
	_, err := path.Match(pattern, "")
	return err == nil && pattern != "" && len(pattern) < 200 && !strings.ContainsAny(pattern, "[]{}\\?!|&;<>$`\"'\n") && !strings.ContainsFunc(pattern, func(r rune) bool { return r < ' ' })
}

// permission maps the permissions of OpenCode: by tool, or a list of actions.
func (m *maker) permission(w *worker, key string, n *yamltree.Node) {
	if n.Kind == yamltree.List {
		for _, one := range n.Items {
			m.decide(w, key, one.Get("action").String(), one.Get("resource").String(), one.Get("effect").String())
		}
		return
	}
	if n.Kind != yamltree.Mapping {
		m.decide(w, key, "*", "*", n.String())
		return
	}
	for _, f := range n.Fields {
		if f.Value.Kind != yamltree.Mapping {
			m.decide(w, key, f.Name, "*", f.Value.String())
			continue
		}
		for _, inner := range f.Value.Fields {
			m.decide(w, key, f.Name, inner.Name, inner.Value.String())
		}
	}
}

// decide maps one permission. Only deny changes the worker: no import approves a call, and
// golem asks about what changes something without a setting.
func (m *maker) decide(w *worker, key, action, resource, effect string) {
	at := key + "." + inNote(action)
	if resource != "*" && resource != "" {
		at += " " + inNote(resource)
	}
	kind := kinds[strings.ToLower(action)]
	switch {
	case effect == "ask":
		m.mapped(w.from, at, "golem asks about what changes something", "")
	case effect == "allow":
		m.lost(w.from, at, "nothing that is imported is approved in advance: golem asks, and your answer s or a lasts for a session")
	case effect != "deny":
		m.lost(w.from, at, "it is neither allow, ask nor deny")
	case action == "*" && (resource == "*" || resource == ""):
		for _, all := range []string{"read", "write", "shell", "web"} {
			w.tools.block(toolsOf(all)...)
		}
		m.mapped(w.from, at, "blocked", "")
	case kind == "":
		m.lost(w.from, at, "golem has no such tool")
	case resource == "*" || resource == "":
		w.tools.block(toolsOf(kind)...)
		m.mapped(w.from, at, "blocked", "")
	case kind == "shell":
		m.denyCommand(w.from, at, resource)
	case kind == "read" || kind == "write":
		m.denyPath(w.from, at, kind, resource)
	default:
		m.lost(w.from, at, "golem blocks the tool only as a whole")
	}
}
