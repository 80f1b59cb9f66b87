package project

import (
	"path"
	"strings"
	"time"

	"golem/core/approval"
)

// Config is a person's own configuration, $GOLEM_HOME/config.yaml (SPEC §3).
// Its model, delegation and approval mode are defaults below the manifest; its
// limits, ask and blocked are ceilings over every file. The zero value and nil
// say nothing. It is read-only.
type Config struct {
	n    *node
	here *node // what it says for the project that is open
}

// configShape are the keys of the person's config.
var configShape = newConfigShape()

func newConfigShape() *shape {
	project := keysOf(map[string]*shape{"approval": projectApprovalShape(), "trust": trustShape()})
	projects := mapOf(project)
	projects.key = func(name string) string {
		if !path.IsAbs(name) && !strings.HasPrefix(name, "~/") && !drive(name) {
			return "is no absolute path: write the project's directory in full, or with ~/"
		}
		return ""
	}
	return keysOf(map[string]*shape{
		"model": modelsShape(), "model_settings": modelSettingsShape(), "providers": providersShape(),
		"approval": projectApprovalShape(), "limits": limitsShape(), "delegation": delegationShape(),
		"projects": projects,
	})
}

// trustShape is true (trust all that the project says), false (nothing, and
// never ask) or the digest that golem check prints.
func trustShape() *shape {
	return scalarShape("true, false or a digest", func(n *node) (string, string) {
		if n.tag == tagBool || n.tag == tagText && strings.HasPrefix(n.text, "sha256:") {
			return "", ""
		}
		return "expected true, false or a digest", "golem check prints the digest: sha256:…"
	})
}

// ReadConfig reads the person's config. name is how faults call the file; root
// is the project that is open, as keys of projects: name it: an absolute slash
// path, or on the page the project's name; home stands for ~. A config with
// faults must not be used.
func ReadConfig(name string, data []byte, root, home string) (*Config, error) {
	tree, faults := parseYAML(name, data)
	if len(faults) > 0 {
		return nil, faults
	}
	if tree == nil {
		return &Config{}, nil
	}
	c := &conformer{}
	out := &Config{n: c.conform(tree, configShape, "")}
	if err := c.faults.Err(); err != nil {
		return nil, c.faults
	}
	if all := out.n.get("projects"); all != nil {
		for _, f := range all.fields {
			key := f.name
			if rest, ok := strings.CutPrefix(key, "~/"); ok {
				key = path.Join(home, rest)
			}
			if path.Clean(strings.ReplaceAll(key, "\\", "/")) == path.Clean(root) {
				out.here = f.value
			}
		}
	}
	return out, nil
}

func (c *Config) get(names ...string) *node {
	if c == nil {
		return nil
	}
	return c.n.path(names...)
}

// Trust is what projects: says of trusting the project that is open: all of
// it, none of it, or a digest; set is false if it says nothing.
func (c *Config) Trust() (all bool, digest string, set bool) {
	if c == nil || c.here.get("trust") == nil {
		return false, "", false
	}
	if n := c.here.get("trust"); n.tag == tagText {
		return false, n.text, true
	}
	return c.here.get("trust").flag(), "", true
}

// Providers are the person's rows of the provider table.
func (c *Config) Providers() map[string]Provider {
	out := map[string]Provider{}
	if all := c.get("providers"); all != nil {
		for _, f := range all.fields {
			out[f.name] = provider(f.value)
		}
	}
	return out
}

// mode is the approval mode, that of the project first.
func (c *Config) mode() *node {
	if c == nil {
		return nil
	}
	if n := c.here.path("approval", "mode"); n != nil {
		return n
	}
	return c.get("approval", "mode")
}

// personal are the settings for this project and for all.
func (c *Config) personal() (here, everywhere approval.Personal) {
	if c == nil {
		return here, everywhere
	}
	return personal(c.here.get("approval")), personal(c.get("approval"))
}

func personal(n *node) approval.Personal {
	p := approval.Personal{Origins: map[string]approval.Origin{}, Rules: rules(n.get("rules"), approval.Person)}
	origin := func(where at, path string) approval.Origin {
		return approval.Origin{By: approval.Person, At: where.String(), File: where.file, Path: path}
	}
	if tools := n.get("tools"); tools != nil {
		p.Tools = map[string]approval.Setting{}
		for _, f := range tools.fields {
			p.Tools[f.name] = f.value.setting()
			p.Origins["tool:"+f.name] = origin(f.value.at, "approval.tools."+f.name)
		}
	}
	if d := n.get("default"); d != nil {
		p.Default = d.setting()
		p.Origins["default"] = origin(d.at, "approval.default")
	}
	return p
}

// ceilings lowers the limits that files give to the person's; what the command
// line says stands. 0 is no limit, so any other is lower.
func (b *built) ceilings() {
	n := b.p.src.Config.get("limits")
	if n == nil {
		return
	}
	most := limits(n)
	l := &b.w.Limits
	for _, c := range []struct {
		key    string
		lower  bool
		assign func()
	}{
		{"turns", below(most.Turns, l.Turns), func() { l.Turns = most.Turns }},
		{"tokens", below(most.Tokens, l.Tokens), func() { l.Tokens = most.Tokens }},
		{"tool_output", below(most.ToolOutput, l.ToolOutput), func() { l.ToolOutput = most.ToolOutput }},
		{"tool_timeout", below(most.ToolTimeout, l.ToolTimeout), func() { l.ToolTimeout = most.ToolTimeout }},
		{"worker_timeout", below(most.WorkerTimeout, l.WorkerTimeout), func() { l.WorkerTimeout = most.WorkerTimeout }},
		{"model_timeout", below(most.ModelTimeout, l.ModelTimeout), func() { l.ModelTimeout = most.ModelTimeout }},
	} {
		if where := n.get(c.key); where != nil && c.lower && b.p.flags.path("limits", c.key) == nil {
			c.assign()
			b.w.Origins["limits."+c.key] = where.at.String() + ", a ceiling"
		}
	}
}

// below tells whether a ceiling is lower than a limit, where 0 is no limit.
func below[T int | int64 | time.Duration](ceiling, limit T) bool {
	return ceiling > 0 && (limit == 0 || ceiling < limit)
}
