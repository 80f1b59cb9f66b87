package project

import (
	"encoding/json"
	"strings"

	"golem/core/approval"
	"golem/core/config"
	"golem/core/started"
	"golem/core/tool"
	"golem/core/yamltree"
)

// ServerCommand returns the command line of an MCP server from the value of Servers; ok is
// false for a server with a url.
func ServerCommand(value string) (c started.Command, ok bool) {
	var in struct {
		Command string
		Args    []tool.Value
		Env     map[string]any
		Cwd     string
	}
	if json.Unmarshal([]byte(value), &in) != nil || in.Command == "" {
		return c, false
	}
	c = started.Command{Program: in.Command, Env: map[string]string{}}
	for _, v := range in.Args {
		c.Args = append(c.Args, v.Text)
	}
	if in.Cwd != "" { // as if it were named: files are looked for below it, too
		c.Args = append(c.Args, in.Cwd)
	}
	for name, v := range in.Env {
		if text, ok := v.(string); ok {
			c.Env[name] = text
		}
	}
	return c, true
}

// RuleCommand returns the command line that a rule allows without asking; ok is false for
// a rule that allows none.
func RuleCommand(r approval.Rule) (c started.Command, ok bool) {
	words := strings.Fields(r.When["command"])
	if r.Decide != approval.PreApproved || len(words) == 0 {
		return c, false
	}
	return started.Command{Program: words[0], Args: words[1:]}, true
}

// startsOf records the files that a worker's own configuration starts.
func (ws *Workers) startsOf(l *Loaded) {
	if ws.setup.Work.FS == nil {
		return
	}
	var all []started.Command
	for _, f := range config.FieldsOf(l.Keys.Path("toolsets", "mcp")) {
		if f.Name == "approval" || f.Value.Kind != yamltree.Mapping {
			continue
		}
		if c, ok := ServerCommand(config.NewSaid(f.Value, "", "").Value); ok {
			all = append(all, c)
		}
	}
	for _, r := range l.Worker.Policy.Rules {
		if c, ok := RuleCommand(r); ok {
			all = append(all, c)
		}
	}
	for _, c := range all {
		ws.trees.Started(ws.setup.Work.Of(c).Names())
	}
}
