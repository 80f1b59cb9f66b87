package approval

import (
	"slices"

	"golem/core/tool"
)

// Author says who wrote a setting (SPEC §3, Trust). The zero value is Project,
// the least trusted one, for settings of unknown origin.
type Author string

// The authors of settings.
const (
	Project Author = ""        // manifest, workers, .env
	Library Author = "library" // a library's files
	Person  Author = "person"  // a flag, the environment, $GOLEM_HOME/config.yaml
	Golem   Author = "golem"   // built in: a default, a tool's own metadata
)

// Origin says where a setting is written and who wrote it.
type Origin struct {
	By   Author
	At   string // for people: "main.worker:4"
	File string // "main.worker"
	Path string // key path in File, with dots: "toolsets.shell.approval.default"
}

// Reach says which calls a project's own settings can approve without a
// person's trust.
type Reach string

// The values of Reach.
const (
	// WithinSandbox means read, write and destructive calls. It is the default.
	WithinSandbox Reach = ""
	// ReadOnly means read calls only: for a lone worker file, a worker on
	// GOLEM_PATH, and a project that is a home directory or contains one (SPEC
	// §3).
	ReadOnly Reach = "read"
)

// Widening is a preApproved in a file of a project or library that allows more
// than the file may allow by itself.
type Widening struct {
	Origin  Origin
	Setting Setting
	Rule    *Rule  // the rule that contains the setting, if it is in one
	Module  string // SHA-256 (hex) of the module whose tool would run; "" for other tools
}

// reaches reports whether the author may approve calls of this tool and risk
// without trust.
func (r Reach) reaches(by Author, risk tool.Risk, spec tool.Spec) bool {
	switch {
	case by == Person || by == Golem:
		return true
	case risk == tool.Read, risk == "" && spec.Confined:
		return true
	case by == Library || r != WithinSandbox:
		return false
	}
	return !escapes(risk, spec)
}

// PreApproves reports whether any setting is preApproved. If not, p cannot
// contain a widening.
func (p Policy) PreApproves() bool {
	pre := func(s Setting) bool { return s.known() == PreApproved }
	for _, tools := range []map[string]Setting{p.WorkerTools, p.WorkerDefaults, p.ProjectTools} {
		for _, s := range tools {
			if pre(s) {
				return true
			}
		}
	}
	for _, ops := range p.Mounts {
		for _, s := range ops {
			if pre(s) {
				return true
			}
		}
	}
	return pre(p.ProjectDefault) || slices.ContainsFunc(p.Rules, func(r Rule) bool { return pre(r.Decide) })
}
