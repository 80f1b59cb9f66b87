package foreign

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"golem/core/yamltree"
)

// dockerAgents makes workers of the agents of docker-agent.
type dockerAgents struct{ *maker }

// file maps a file of docker-agent, with its agents and models.
func (m dockerAgents) file(f read, root *yamltree.Node) {
	m.unknown(f.name, "", root, "agents", "models", "version", "permissions", "metadata")
	if about := root.Path("metadata", "description").String(); about != "" {
		m.lost(f.name, "metadata", "the manifest has its own description")
	}
	made := map[string]*worker{}
	for _, one := range root.Get("agents").Fields {
		if one.Value.Kind != yamltree.Mapping {
			m.lost(f.name, "agents."+inNote(one.Name), "it is not a mapping of keys")
			continue
		}
		if len(m.workers) >= maxMade {
			m.lost(f.name, "agents."+inNote(one.Name), "golem makes at most 1,000 workers, and this and the following ones are left out")
			break
		}
		body := one.Value.Get("instruction").String()
		if strings.TrimSpace(body) == "" {
			body = one.Value.Get("description").String()
		}
		if strings.TrimSpace(body) == "" {
			m.lost(f.name, "agents."+inNote(one.Name), "it has no instruction")
			continue
		}
		w := m.newWorker(f.name, one.Name)
		w.body = body
		made[one.Name] = w
		if m.entry == nil || one.Name == "root" && m.entry.from == f.name {
			m.entry = w
		}
		for _, key := range one.Value.Fields {
			m.key(w, "agents."+inNote(one.Name)+".", key, root.Get("models"))
		}
	}
	for kind, list := range map[string]*yamltree.Node{"allow": root.Path("permissions", "allow"), "ask": root.Path("permissions", "ask")} {
		if list != nil {
			m.lost(f.name, "permissions."+kind, "nothing that is imported is approved in advance, and golem asks about what changes something")
		}
	}
	if deny := root.Path("permissions", "deny"); deny != nil {
		for _, pattern := range words(deny) {
			m.forbid(f.name, pattern, made)
		}
	}
}

// dockerTools are the tools of docker-agent, by golem's tools that do the same.
var dockerTools = map[string][]string{
	"read_file": {"read_file", "read_multiple_files"}, "list_files": {"list_directory", "directory_tree", "list_files"}, "search_files": {"search_files", "search_files_content"},
	"write_file": {"write_file", "create_file"}, "edit_file": {"edit_file"}, "delete_file": {"delete_file", "remove_file"}, "move_file": {"move_file"}, "make_directory": {"create_directory", "make_directory"},
	"run_command": {"shell", "run_shell"}, "web_fetch": {"fetch"},
}

// forbid blocks the tools that a pattern of docker-agent denies: TOOL, with * for any
// letters, or shell:cmd=COMMAND.
func (m dockerAgents) forbid(file, pattern string, made map[string]*worker) {
	key := "permissions.deny " + inNote(pattern)
	name, within, _ := strings.Cut(pattern, ":")
	if command, is := strings.CutPrefix(within, "cmd="); is && name == "shell" {
		m.denyCommand(file, key, strings.TrimSuffix(command, "*")+" *")
		return
	}
	var blocked []string
	for golem, theirs := range dockerTools {
		for _, one := range theirs {
			if ok, err := path.Match(name, one); err == nil && ok && within == "" {
				blocked = append(blocked, golem)
			}
		}
	}
	if len(blocked) == 0 {
		m.lost(file, key, "golem has no such tool, or does not read this pattern")
		return
	}
	for _, w := range made {
		w.tools.block(blocked...)
	}
	m.mapped(file, key, "blocked", "")
}

// key maps one key of an agent of docker-agent.
func (m dockerAgents) key(w *worker, at string, f yamltree.Field, models *yamltree.Node) {
	v, key := f.Value, at+f.Name
	switch f.Name {
	case "instruction", "name":
	case "description":
		w.description = v.String()
		m.mapped(w.from, key, "description", "")
	case "model":
		m.setModel(w, key, v.String(), models)
	case "sub_agents":
		w.calls = append(w.calls, words(v)...)
		m.mapped(w.from, key, "allow_workers", "")
	case "toolsets":
		for _, one := range v.Items {
			m.addToolset(w, key, one)
		}
	case "structured_output":
		if schema := v.Get("schema"); schema != nil && schema.Kind == yamltree.Mapping {
			w.output = m.plain(w.from, key, schema)
			m.mapped(w.from, key, "output_schema", "")
		}
	case "max_iterations":
		if w.turns = turnsOf(v); w.turns > 0 {
			m.mapped(w.from, key, "limits.turns", "")
		}
	default:
		m.lost(w.from, key, "golem has nothing like it in a worker's file")
	}
}

// setModel maps the model of an agent: names of models:, or PROVIDER/MODEL, with commas
// between several.
func (m dockerAgents) setModel(w *worker, key, name string, models *yamltree.Node) {
	var list []string
	for one := range strings.SplitSeq(name, ",") {
		one = strings.TrimSpace(one)
		if own := models.Get(one); own != nil {
			one = own.Get("provider").String() + "/" + own.Get("model").String()
			for _, f := range own.Fields {
				switch at := "models." + f.Name; f.Name {
				case "provider", "model":
				case "temperature", "top_p":
					m.setting(w, at, f.Name, f.Value)
				case "max_tokens":
					m.setting(w, at, "max_output_tokens", f.Value)
				case "thinking_budget":
					m.setting(w, at, "reasoning_effort", f.Value)
				default:
					m.lost(w.from, at, "a project does not choose addresses and keys: providers in your config.yaml does")
				}
			}
		}
		w.model = nil
		m.model(w, key, one)
		if chosen, is := w.model.(string); is {
			list = append(list, chosen)
		}
	}
	if w.model = nil; len(list) == 1 {
		w.model = list[0]
	} else if len(list) > 1 {
		w.model = list
	}
}

// addToolset maps one toolset of an agent.
func (m dockerAgents) addToolset(w *worker, key string, n *yamltree.Node) {
	kind := n.Get("type").String()
	key += " " + inNote(kind)
	switch kind {
	case "filesystem":
		if reads(n.Get("tools")) {
			m.mapped(w.from, key, w.tools.grant("read"), "")
		} else {
			m.mapped(w.from, key, w.tools.grant("write"), "")
		}
		m.unknown(w.from, key+".", n, "type", "tools")
	case "shell":
		m.mapped(w.from, key, w.tools.grant("shell"), "")
		m.unknown(w.from, key+".", n, "type")
	case "fetch":
		m.mapped(w.from, key, w.tools.grant("web"), "")
		m.unknown(w.from, key+".", n, "type")
	case "mcp":
		m.addServer(w, key, n)
	default:
		m.lost(w.from, key, "golem has no such toolset")
	}
}

// reads reports whether a list has tools that read only.
func reads(list *yamltree.Node) bool {
	names := words(orEmpty(list))
	for _, name := range names {
		for _, part := range []string{"write", "edit", "create", "delete", "remove", "move", "make", "*"} {
			if strings.Contains(name, part) {
				return false
			}
		}
	}
	return len(names) > 0
}

func orEmpty(n *yamltree.Node) *yamltree.Node {
	if n == nil {
		return &yamltree.Node{Kind: yamltree.List}
	}
	return n
}

// serverName returns a name for a server that has none: that of its program, its package or
// its host.
func serverName(n *yamltree.Node) string {
	if u, err := url.Parse(n.Get("url").String()); err == nil && u.Hostname() != "" {
		return u.Hostname()
	}
	name := path.Base(n.Get("command").String())
	if slices.Contains([]string{"npx", "uvx", "bunx", "node", "python", "python3", "docker", "uv", "deno"}, name) {
		for _, one := range orEmpty(n.Get("args")).Items {
			if arg := one.String(); arg != "run" && !strings.HasPrefix(arg, "-") {
				arg, _, _ = strings.Cut(path.Base(arg), "@")
				return arg
			}
		}
	}
	return name
}

// addServer maps an MCP server of an agent: a command, or a remote one.
func (m dockerAgents) addServer(w *worker, key string, n *yamltree.Node) {
	if ref := n.Get("ref").String(); ref != "" {
		m.lost(w.from, key+" "+inNote(ref), "Docker runs this server in a container that golem does not start: name its command or address under toolsets.mcp")
		return
	}
	fields := *n
	if remote := n.Get("remote"); remote != nil {
		fields = *remote
		if transport := remote.Get("transport_type").String(); transport == "sse" {
			m.lost(w.from, key, "it speaks the transport SSE of 2024, and golem speaks streamable HTTP")
			return
		}
	}
	name := n.Get("name").String()
	if name == "" {
		name = serverName(&fields)
	}
	var only []string
	if tools := n.Get("tools"); tools != nil {
		only = words(tools)
	}
	m.unknown(w.from, key+".", n, "type", "command", "args", "env", "remote", "tools", "name", "ref")
	m.ownServer(w, key, name, &fields, only)
}
