package project

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"golem/core/approval"
	"golem/core/sandbox"
	"golem/core/started"
	"golem/core/tool"
	"golem/core/yamltree"
)

// Starts reports whether a file of the directory that workers work on is started by a
// setting of a loaded worker: a worker that could write it would choose what a person's
// trusted setting runs (SPEC §3). The path is folded, as for Defines. In a project that
// is itself that directory, Defines reports these files, too.
func (p *Project) Starts(folded string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return listed(p.starts, folded)
}

// Definitions returns the files and directories, folded and sorted, that Defines and
// Starts know by name, in addition to what sandbox.Controls protects in every project.
// Some may not exist.
func (p *Project) Definitions() (defines, starts []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.defines)), slices.Sorted(maps.Keys(p.starts))
}

// Started protects files that a trusted setting starts, also if the worker with the
// setting is not loaded.
func (p *Project) Started(names []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, name := range names {
		p.starts[sandbox.Fold(path.Clean(name))] = true
	}
}

// listed reports whether a set has a folded path or a directory above it.
func listed(set map[string]bool, folded string) bool {
	for at := folded; at != "." && at != "/"; at = path.Dir(at) {
		if set[at] {
			return true
		}
	}
	return false
}

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

// startsOf records the files that a worker's own configuration starts. p.mu must be held.
func (p *Project) startsOf(l *loaded) {
	if p.src.Work.FS == nil {
		return
	}
	var all []started.Command
	for _, f := range fieldsOf(l.eff.Path("toolsets", "mcp")) {
		if f.Name == "approval" || f.Value.Kind != yamltree.Mapping {
			continue
		}
		if c, ok := ServerCommand(said(f.Value, "", "").Value); ok {
			all = append(all, c)
		}
	}
	for _, r := range l.worker.Policy.Rules {
		if c, ok := RuleCommand(r); ok {
			all = append(all, c)
		}
	}
	for _, c := range all {
		for _, name := range p.src.Work.Of(c).Names() {
			p.starts[sandbox.Fold(path.Clean(name))] = true
		}
	}
}

// Work returns the directory in which the project's command lines are started.
func (p *Project) Work() started.Tree { return p.src.Work }
