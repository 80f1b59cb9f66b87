package config

import (
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/yamltree"
)

// toolsetsShape returns the shape of toolsets: a mapping or a list of names. A toolset
// that is `false` stays in the tree, so that it removes an inherited one when merged
// (S1-29).
func toolsetsShape() *yamltree.Shape {
	s := &yamltree.Shape{Kind: yamltree.Mapping, Want: "a mapping or a list of names", Or: []string{`{"type": "array", "items": {"type": "string"}}`}, Key: yamltree.NameProblem, Each: toolsetShape(nil),
		Offers: map[string]*yamltree.Shape{"filesystem": key("Reading, writing, searching and listing the files of the sandbox.", toolsetShape(filesystemOptions())), "shell": key("Commands on this machine; only natively.", toolsetShape(shellOptions())), "page": key("Tools that the web page provides which embeds golem (golem.provide); nothing of it exists elsewhere.", toolsetShape(pageOptions()))},
		Keys: map[string]*yamltree.Shape{"workers": key("Calling other workers as tools.", toolsetShape(map[string]*yamltree.Shape{
			"allowed_workers": key("Whom the worker may call; \"*\" means all of the project.", allowedShape()), "style": key("tools: one tool for each worker, the default; call: one tool worker_call for all; both.", yamltree.OneOf("tools", "call", "both")),
		})), "custom": key("Tools of .wasm modules; all that are found are offered, and ask.", toolsetShape(map[string]*yamltree.Shape{
			"module": key("Only this module: a path, or the name without .wasm of one that is found.", yamltree.Text(yamltree.NameProblem)), "tools": key("Only these tools; also exports that no description names.", yamltree.ListOf(yamltree.Text(toolNameProblem))), "modules": key("Grants and limits, by the module's name without .wasm.", yamltree.MapOf(grantShape())),
		})), "web": key("Fetching pages and searching the web; needs sandbox.network_enabled.", toolsetShape(webOptions())),
			"git": key("Reading git repositories; git_commit stages a commit for a person.", toolsetShape(map[string]*yamltree.Shape{"target": key("The clearance target, a branch, that git_commit stages for.", yamltree.Text(yamltree.NameProblem))})), "skills": key("Agent Skills: instructions that the worker reads when a task needs them (read_skill), and scripts (run_skill_script).", toolsetShape(map[string]*yamltree.Shape{"use": key("The names of the skills; without it, or with \"*\", all of the project, its libraries and the person.", yamltree.ListOf(yamltree.Text(yamltree.NameProblem))), "write": key("Scripts of skills may change the worker's files (risk write); by default they only read them (risk read).", yamltree.Flag())})),
			"mcp": key("Tools of MCP servers, by the server's name; the tool t of the server s is called s__t.", offShape(serversShape()))}}
	s.Rewrite = func(c *yamltree.Conformer, n *yamltree.Node, path string) *yamltree.Node {
		if n.Kind != yamltree.List {
			return n
		}
		out := &yamltree.Node{Pos: n.Pos, Kind: yamltree.Mapping}
		for _, item := range n.Items {
			if item.Kind != yamltree.Scalar || item.Tag != yamltree.TagText {
				c.Fail(item.Pos, "", "%s: expected the name of a toolset, found %s", path, item.Found())
				continue
			}
			if out.Get(item.Text) != nil {
				c.Fail(item.Pos, "", "%s: %s is listed twice", path, fault.Quoted(item.Text))
				continue
			}
			out.Fields = append(out.Fields, yamltree.Field{Name: item.Text, Pos: item.Pos, Value: &yamltree.Node{Pos: item.Pos, Kind: yamltree.Mapping}})
		}
		return out
	}
	return named("toolsets", s)
}

// filesystemOptions are the options of toolset filesystem, which its factory decodes.
func filesystemOptions() map[string]*yamltree.Shape {
	return map[string]*yamltree.Shape{"offset": key("What offset and limit of read_file count: lines, the default, or characters.", yamltree.OneOf("lines", "characters"))}
}

// shellOptions are the options of toolset shell, which its factory decodes.
func shellOptions() map[string]*yamltree.Shape {
	texts := yamltree.ListOf(yamltree.Text(nil))
	return map[string]*yamltree.Shape{
		"network": key("Commands may use the network, if sandbox.network_enabled is true.", yamltree.Flag()), "read": key("Further directories that commands read, absolute or below ~/.", texts), "write": key("Further directories that commands change, absolute or below ~/.", texts), "env": key("Names of further environment variables that commands get.", texts), "system_shell": key("The system's shell runs the commands, instead of golem's interpreter.", yamltree.Flag()),
	}
}

// pageOptions are the options of toolset page, which its factory decodes.
func pageOptions() map[string]*yamltree.Shape {
	return map[string]*yamltree.Shape{"names": key("The page's toolsets that the worker gets.", &yamltree.Shape{Kind: yamltree.List, Each: yamltree.Text(nil), Needed: true})}
}

// toolsetShape returns the shape of one toolset. It checks approval, which every
// toolset has; the toolset's factory decodes the other options. closed, if not nil,
// lists all other options.
func toolsetShape(closed map[string]*yamltree.Shape) *yamltree.Shape {
	options := &yamltree.Shape{Kind: yamltree.Mapping, Keys: map[string]*yamltree.Shape{"approval": key("Whether calls of its tools ask.", toolApprovalShape())}}
	for name, s := range closed {
		options.Keys[name] = s
	}
	if closed == nil {
		options.Each = &yamltree.Shape{Any: true}
	}
	return offShape(options)
}

// offShape returns the shape of a toolset's options, or of false, which removes the
// toolset.
func offShape(options *yamltree.Shape) *yamltree.Shape {
	return &yamltree.Shape{Any: true, Of: options, Or: []string{`{"type": "null"}`, `{"const": false}`}, Rewrite: func(c *yamltree.Conformer, n *yamltree.Node, path string) *yamltree.Node {
		if n.Kind == yamltree.Scalar && n.Tag == yamltree.TagBool && !n.Flag() {
			return n
		}
		if n.Kind == yamltree.Scalar && n.Tag == yamltree.TagBool {
			c.Fail(n.Pos, "write {} for the toolset with its defaults", "%s: expected a mapping or false, found %s", path, n.Found())
			return nil
		}
		return c.Conform(n, options, path)
	}}
}

// grantShape returns the shape of the grants to one tool module (SPEC §6, Grants).
func grantShape() *yamltree.Shape {
	keys := map[string]*yamltree.Shape{
		"fs": key("The files that it sees: true for all that the worker sees, or some directories of these, each ro or rw.", filesShape()), "allowed_hosts": key("Hosts it may reach, if sandbox.network_enabled is true.", yamltree.ListOf(yamltree.Text(hostProblem))), "config": key("Values that it can read.", yamltree.MapOf(valueShape())),
		"timeout": key("How long one call may take, such as 30s.", yamltree.Duration()), "stateful": key("One instance for all calls, instead of a fresh one each.", yamltree.Flag()), "fuel": key("What one call may compute; default 2,000,000,000,000.", yamltree.Count(1, 1e15)),
	}
	for _, l := range ModuleLimits {
		keys[l.Key] = l.bytesShape()
	}
	return named("grant", yamltree.KeysOf(keys))
}

// filesShape returns the shape of fs, which grants files to a module: all that the
// worker sees, or some directories with their modes. A merge does not mix two lists:
// the worker's replaces the manifest's.
func filesShape() *yamltree.Shape {
	dirs := yamltree.MapOf(yamltree.OneOf("ro", "rw"))
	dirs.Key = func(name string) string {
		if strings.Contains("/"+name+"/", "/../") {
			return "leads out with ..: name a directory as the worker sees it, such as /data"
		}
		if _, err := sandbox.Clean(name); err != nil {
			return "is not a path: " + fault.Of(err, fault.Path).Message
		}
		return ""
	}
	return &yamltree.Shape{Any: true, Of: dirs, Want: "true, false or directories", Or: []string{`{"type": "boolean"}`}, Rewrite: func(c *yamltree.Conformer, n *yamltree.Node, path string) *yamltree.Node {
		if n.Kind != yamltree.Mapping {
			if n.Kind == yamltree.Scalar && n.Tag == yamltree.TagBool {
				return n
			}
			c.Fail(n.Pos, "write true, false, or directories such as {data: ro}", "%s: expected true or false, or directories with their modes, found %s", path, n.Found())
			return nil
		}
		out := c.Conform(n, dirs, path)
		if out == nil || len(out.Fields) == 0 {
			if len(n.Fields) == 0 {
				c.Fail(n.Pos, "name them, such as {data: ro}, or write false", "%s names no directory", path)
			}
			return nil
		}
		whole := *out
		whole.Whole = true
		return &whole
	}}
}

func toolNameProblem(s string) string {
	if !tool.ValidName(s) {
		return fault.Quoted(s) + " is not a tool name: use letters, digits, _ and -, at most 64"
	}
	return ""
}

func hostProblem(s string) string {
	if p := yamltree.NameProblem(s); p != "" {
		return p
	}
	if strings.ContainsAny(s, "/ @?#\\") {
		return fault.Quoted(s) + " is not a host: write only its name, such as api.example.com"
	}
	return ""
}

// allowedShape returns the shape of a list of worker references. '*' in place of the
// list means the project's own.
func allowedShape() *yamltree.Shape {
	s := yamltree.ListOf(yamltree.Text(yamltree.NameProblem))
	s.Want, s.Or = "a list of workers, or '*'", []string{`{"const": "*"}`}
	s.Rewrite = func(_ *yamltree.Conformer, n *yamltree.Node, _ string) *yamltree.Node {
		if n.Kind == yamltree.Scalar && n.Tag == yamltree.TagText && n.Text == "*" {
			return &yamltree.Node{Pos: n.Pos, Kind: yamltree.List, Items: []*yamltree.Node{n}}
		}
		return n
	}
	return s
}

func sandboxShape() *yamltree.Shape {
	operations := func() *yamltree.Shape {
		return named("mountApproval", yamltree.KeysOf(map[string]*yamltree.Shape{"read": key("For calls that read.", settingShape()), "write": key("For calls that write.", settingShape()), "delete": key("For calls that delete.", settingShape())}))
	}
	mount := func(keys map[string]*yamltree.Shape) *yamltree.Shape {
		keys["mode"] = key("ro: only reading; rw: changes are written; staged: a person decides on them later.", mountModeShape())
		keys["readonly"] = key("true: the same as mode: ro.", yamltree.Flag())
		keys["suffixes"] = key("Only files that end in one of these.", yamltree.ListOf(suffixShape()))
		keys["max_file_bytes"] = key("No file larger than this.", yamltree.Size())
		keys["approval"] = key("Whether calls on this mount ask.", operations())
		return yamltree.KeysOf(keys)
	}
	listed := mount(map[string]*yamltree.Shape{"source": key("Directory, from the project root.", yamltree.Text(yamltree.NameProblem)), "target": key("Where it appears: an absolute path, / included.", yamltree.Text(yamltree.NameProblem))})
	listed.Musts = []string{"source", "target"}
	byName := mount(map[string]*yamltree.Shape{"root": key("Directory, from the project root.", yamltree.Text(yamltree.NameProblem))})
	byName.Short = "root"
	paths := yamltree.MapOf(byName)
	paths.Key = mountNameProblem
	return named("sandbox", yamltree.KeysOf(map[string]*yamltree.Shape{
		"root":            key("Directory, from the project root.", yamltree.Text(yamltree.NameProblem)),
		"restrict":        key("The worker sees only this directory; names stay as they are.", yamltree.Text(yamltree.NameProblem)),
		"readonly":        key("true: the same as mode: ro.", yamltree.Flag()),
		"network_enabled": key("Without it every tool that reaches the network is refused.", yamltree.Flag()),
		"approval":        key("Whether calls on this mount ask.", operations()),
		"paths":           key("NAME is mounted at /NAME.", paths),
		"mounts":          key("Another form of paths: each mount with the place at which it appears.", yamltree.ListOf(listed)),
	}))
}

// clearanceShape returns the shape of clearance: the places that staged changes can be
// pushed to (SPEC §9).
func clearanceShape() *yamltree.Shape {
	target := yamltree.KeysOf(map[string]*yamltree.Shape{"dir": key("Directory, from the project root. Outside it only with --allow-outside.", yamltree.Text(yamltree.NameProblem)), "git": key("Directory of a git repository, from the project root. Outside it only with --allow-outside.", yamltree.Text(yamltree.NameProblem)), "branch": key("Branch of the repository that pushes commit to.", yamltree.Text(yamltree.NameProblem)), "remote": key("Address to which a push also sends the branch, https:// or ssh://, without a key.", yamltree.Text(yamltree.NameProblem))})
	targets := yamltree.MapOf(target)
	targets.Key = yamltree.NameProblem
	return yamltree.KeysOf(map[string]*yamltree.Shape{"targets": key("Places that staged changes can be pushed to, by name.", targets)})
}

func mountModeShape() *yamltree.Shape {
	return yamltree.OneOf("ro", "rw", "staged")
}

func mountNameProblem(name string) string {
	if p := yamltree.NameProblem(name); p != "" {
		return p
	}
	if name == "root" {
		return "is the name of the root mount: use sandbox.root"
	}
	if clean, ok := Inside(name); !ok || clean != name || name == "." {
		return "is not a valid name for a mount"
	}
	for _, r := range name {
		if r == '/' {
			return "is not a valid name for a mount: use one directory name, without /"
		}
	}
	return ""
}

// serversShape returns the shape of toolset mcp: servers by name. A server that is
// false removes an inherited one.
func serversShape() *yamltree.Shape {
	server := yamltree.KeysOf(map[string]*yamltree.Shape{
		"command": key("A program to start; natively only.", yamltree.Text(yamltree.NameProblem)), "args": key("Its arguments. ${NAME} stands for a variable of the environment.", yamltree.ListOf(valueShape())), "env": key("Its environment, beside PATH, HOME and a few others. ${NAME} stands for a variable of the environment.", yamltree.MapOf(valueShape())),
		"url": key("The address of a server on the network: https, or http on this machine.", yamltree.Text(yamltree.NameProblem)), "headers": key("Sent with each request.", yamltree.MapOf(valueShape())), "tools": key("Only these tools; * stands for any letters.", yamltree.ListOf(yamltree.Text(yamltree.NameProblem))),
		"optional": key("A server that cannot be started is a warning, and its tools are absent.", yamltree.Flag()), "cwd": key("The directory below the project's root in which the command is started.", yamltree.Text(yamltree.NameProblem)), "timeout": key("How long it may take to begin, such as 90s; without it, one minute.", yamltree.Duration()),
	})
	return &yamltree.Shape{Kind: yamltree.Mapping, Keys: map[string]*yamltree.Shape{"approval": key("Whether calls of its tools ask.", toolApprovalShape()), "from": key("A file of the project with MCP servers as editors and agents write it, such as .mcp.json.", yamltree.Text(yamltree.NameProblem))}, Key: yamltree.NameProblem,
		Each: &yamltree.Shape{Any: true, Of: server, Or: []string{`{"const": false}`}, Rewrite: func(c *yamltree.Conformer, n *yamltree.Node, path string) *yamltree.Node {
			if n.Kind == yamltree.Scalar && n.Tag == yamltree.TagBool && !n.Flag() {
				return n
			}
			return c.Conform(n, server, path)
		}}}
}
