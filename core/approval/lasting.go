package approval

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"golem/core/tool"
)

// Lasting is a rule that golem proposes to a person, so that similar calls do not ask any
// more in this project (scenario 59). It is the narrowest useful rule: for a file tool the
// directory of the files, for a command the subcommand or exactly this command, otherwise
// exactly these arguments.
type Lasting struct {
	Rule Rule   `json:"-"`
	Says string `json:"says"` // what it covers, such as "all write_file under /output in this project"
	YAML string `json:"yaml"` // the rule as it is saved, one line
}

// maxBound is the longest pattern, in bytes, that core/project accepts in a rule.
const maxBound = 256

// mcp is the toolset whose tools are those of MCP servers.
const mcp = "mcp"

// lasting returns the rule to propose for a call, or nil if there is none. Tools of
// modules and pages get none: a rule has only a tool's name, which may belong to other
// code later. That for a tool of an MCP server names the server's configuration and the
// tool's description by their digest, and covers all arguments. There is also none if the
// rule would not let this call run: if the call is blocked, a rule of the person asks,
// untrusted content was read, nothing confines the call, or it writes instructions.
func (g *Gate) lasting(c *pending) *Lasting {
	l := c.narrowest()
	foreign := c.spec.Kind == tool.Wasm || c.spec.Toolset == "page"
	if l == nil || foreign || g.taints(c) || c.spec.Unconfined != "" || c.instructs() {
		return nil
	}
	l.Rule.Tool, l.Rule.Decide, l.Rule.Origin = c.spec.Name, PreApproved, Origin{By: Person, At: "saved in this session"}
	l.YAML = l.Rule.YAML()
	for _, text := range l.Rule.When {
		if _, changed := Visible(text); changed || len(text) > maxBound || strings.TrimSpace(text) != text {
			return nil
		}
	}
	p := g.memory.with(c.item.Policy)
	p.Here.Rules = append(slices.Clip(p.Here.Rules), l.Rule)
	if settingOf(p, c.subject).setting != PreApproved {
		return nil
	}
	return l
}

// narrowest returns the narrowest useful rule for a call, or nil.
func (s subject) narrowest() *Lasting {
	if s.spec.Toolset == mcp {
		if s.spec.Provider == "" || s.spec.Provider == "builtin" {
			return nil
		}
		return &Lasting{Rule: Rule{Server: s.spec.Provider}, Says: "all calls of " + s.spec.Name + " in this project, as long as its MCP server is set up and describes it as now"}
	}
	if s.risk == tool.Command {
		return s.commandRule()
	}
	if len(s.paths) > 0 && !escapes(s.risk, s.spec) {
		return s.pathRule()
	}
	when, ok := s.exactConditions()
	if !ok {
		return nil
	}
	return &Lasting{Rule: Rule{When: when}, Says: s.spec.Name + " with exactly these arguments, in this project"}
}

// pathRule returns a rule for the directory of the files that a call uses. If that is the
// root, or the call deletes, the rule is for the one file; for several files there is none.
func (s subject) pathRule() *Lasting {
	dir := path.Dir(s.paths[0].Path)
	same := true
	for _, p := range s.paths[1:] {
		same = same && p.Path == s.paths[0].Path
		for dir != "/" && !strings.HasPrefix(p.Path, dir+"/") {
			dir = path.Dir(dir)
		}
	}
	switch {
	case dir != "/" && s.risk != tool.Destructive:
		return &Lasting{Rule: Rule{When: map[string]string{"path": escapeGlob(dir) + "/**"}}, Says: "all " + s.spec.Name + " under " + dir + " in this project"}
	case same:
		return &Lasting{Rule: Rule{When: map[string]string{"path": escapeGlob(s.paths[0].Path)}}, Says: "all " + s.spec.Name + " of " + s.paths[0].Path + " in this project"}
	}
	return nil
}

// commandRule returns a rule for a command: a subcommand of git or go that only shows
// something gets a rule for any arguments, another command a rule for exactly its text.
func (s subject) commandRule() *Lasting {
	raw, ok := s.command("command")
	if !ok || strings.ContainsAny(raw, "*?[{\\\n") {
		return nil
	}
	l := newCommandLine(raw, s.grammar("command"))
	if l.Plain && len(l.Commands) == 1 && len(l.Commands[0]) > 2 {
		c, rest := l.Commands[0], []string{"*"}
		first, second := c[0].Text, c[1].Text
		shows := l.grammar.Covers(c, rest) && l.grammar.Covers(tool.SimpleCommand{c[0], c[1], {Text: "x"}}, rest)
		if (first == "git" || first == "go") && shows && second != "" && second[0] != '-' {
			pattern := first + " " + second + " *"
			return &Lasting{Rule: Rule{When: map[string]string{"command": pattern}}, Says: "all commands " + pattern + " in this project"}
		}
	}
	return &Lasting{Rule: Rule{When: map[string]string{"command": raw}}, Says: "exactly this command, in this project"}
}

// exactConditions returns conditions for exactly these arguments: an argument that is not given
// must not be given. ok is false if conditions cannot express that: for lists, and for tools
// that take arguments which their schema does not list.
func (s subject) exactConditions() (when map[string]string, ok bool) {
	var schema any
	_ = json.Unmarshal(s.spec.Input, &schema) // one that is not JSON lists no properties
	properties, closed := keysOf(schema)
	if !closed {
		return nil, false
	}
	when = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		raw := s.args.Field(name)
		switch {
		case raw == nil:
			when[name] = ""
			continue
		case raw[0] == '[':
			return nil, false
		}
		when[name] = escapeGlob(texts(raw)[0])
	}
	return when, len(when) > 0
}

// escapeGlob returns a pattern that matches only the text.
func escapeGlob(text string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`).Replace(text)
}

// YAML returns the rule as one item of approval.rules, in one line.
func (r Rule) YAML() string {
	var b strings.Builder
	b.WriteString("{tool: " + yamlText(r.Tool))
	if len(r.When) > 0 {
		b.WriteString(", when: {")
		for i, key := range slices.Sorted(maps.Keys(r.When)) {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(yamlText(key) + ": " + Quoted(r.When[key]))
		}
		b.WriteString("}")
	}
	if r.Server != "" {
		b.WriteString(", server: " + Quoted(r.Server))
	}
	return b.String() + ", decide: " + string(r.Decide) + "}"
}

// yamlText returns a name for YAML, in quotes if YAML could read it as another value.
func yamlText(name string) string {
	plain := strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" && strings.Contains("abcdefghijklmnopqrstuvwxyz", name[:min(1, len(name))])
	if plain && len(name) > 0 && !slices.Contains([]string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"}, strings.ToLower(name)) {
		return name
	}
	return Quoted(name)
}

// Quoted returns a text in double quotes, valid in YAML and JSON.
func Quoted(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(text) != nil {
		return `""` // a string can be encoded
	}
	return strings.TrimSpace(b.String())
}
