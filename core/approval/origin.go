package approval

import (
	"slices"

	"golem/core/tool"
)

// Author says who made a setting (SPEC §3, Trust). The zero value is Project:
// a setting of unknown origin is believed as little as a cloned file.
type Author string

// Authors.
const (
	Project Author = ""        // manifest, workers, .env
	Library Author = "library" // a library's files
	Person  Author = "person"  // a flag, the environment, $GOLEM_HOME/config.yaml
	Golem   Author = "golem"   // built in: a default, a tool's own metadata
)

// Origin is where a setting stands and who wrote it there.
type Origin struct {
	By   Author
	At   string // for people: "main.worker:4"
	File string // "main.worker"
	Path string // dotted key path in File: "toolsets.shell.approval.default"
}

// Reach is how far a project's own settings may pre-approve calls without a
// person's trust.
type Reach string

// Reaches.
const (
	// WithinSandbox covers read, write and destructive calls: the default.
	WithinSandbox Reach = ""
	// ReadOnly covers read calls only: for a lone file, a worker on GOLEM_PATH
	// and a project that is a home directory or lies above one (SPEC §3).
	ReadOnly Reach = "read"
)

// Widening is a preApproved that a project's or library's file says and that
// reaches beyond what the file may decide by itself.
type Widening struct {
	Origin  Origin
	Setting Setting
	Rule    *Rule  // the rule, if the setting stands in one
	Module  string // SHA-256 (hex) of the module whose tool would run; "" for others
}

// reaches says whether a project's word is enough to pre-approve a call.
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

// PreApproves reports whether a file says preApproved of anything: without it
// no setting of p widens.
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
