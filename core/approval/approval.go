// Package approval is the gate: the executor's only route to a tool. It
// settles before each call whether it runs, from settings, rules, what was
// remembered, the mode and, last, a person (SPEC §7; S0-28..41, S3-17..19).
package approval

import (
	"context"
	"encoding/json"
	"slices"

	"golem/core/tool"
)

// Setting is a configured decision (S0-32..34). "" is unset.
type Setting string

// Settings.
const (
	PreApproved Setting = "preApproved"
	Ask         Setting = "ask"
	Blocked     Setting = "blocked"
)

// Mode is what "ask" means in this session (S0-29..31). "" is Interactive.
type Mode string

// Modes.
const (
	Interactive Mode = "interactive"
	ApproveAll  Mode = "approve_all"
	AutoDeny    Mode = "auto_deny"
)

// Rule settles calls by tool and argument patterns; the first match wins,
// after blocked. When maps an argument name to a glob (doublestar) that the
// canonical value must match; "path" also matches any path of the preview.
type Rule struct {
	Tool   string            `json:"tool"`
	When   map[string]string `json:"when,omitempty"`
	Decide Setting           `json:"decide"`
	Origin Origin            `json:"-"`
}

// Policy is the merged configuration for one worker (SPEC §7's order). The
// zero value leaves everything to the tool and its risk.
type Policy struct {
	WorkerTools    map[string]Setting // worker, per tool: toolsets.*.approval.tools and tool_rules
	WorkerDefaults map[string]Setting // worker, per toolset: toolsets.*.approval.default
	ProjectTools   map[string]Setting // manifest approval.tools
	ProjectDefault Setting            // manifest approval.default
	Rules          []Rule             // manifest approval.rules
	Mounts         map[string]MountPolicy
	// Origins tells where each setting stands and who wrote it, keyed
	// "worker.tool:NAME", "worker.toolset:NAME", "project.tool:NAME",
	// "project.default", "mount:NAME:OP".
	Origins map[string]Origin
	// Reach is how far the settings above are believed without trust.
	Reach Reach
	// Here is what the person's config says for this project, Everywhere what
	// it says for all. Their ask and blocked are ceilings over every file.
	Here, Everywhere Personal
}

// Personal are a person's own settings: $GOLEM_HOME/config.yaml (SPEC §3).
type Personal struct {
	Tools   map[string]Setting
	Default Setting
	Rules   []Rule
	Origins map[string]Origin // keyed "tool:NAME", "default"
}

// MountPolicy is a mount's own approval: per operation (read, write, delete).
type MountPolicy map[string]Setting

// Request is what a person is asked. It is complete: a front end may fold
// long values but never drop them. A tool call has Tool and what follows it; a
// question of another kind has Title and Lines.
type Request struct {
	ID         string   `json:"id"` // answers are bound to it
	Kind       Kind     `json:"kind"`
	Call       string   `json:"call,omitempty"` // the trace id of the call
	Risk       string   `json:"risk"`           // low, medium, high
	WorkerPath []string `json:"workerPath,omitempty"`
	// Workers are those of WorkerPath, each with its call and its task.
	Workers []Worker `json:"workers,omitempty"`
	// Answers are those that are offered. Always is among them only where it
	// may cover other arguments: never for destructive or command (SECURITY 8).
	Answers []Answer `json:"answers"`

	Title string `json:"title,omitempty"`
	Lines []Line `json:"lines,omitempty"`

	Type        string          `json:"type,omitempty"` // tool_call, file_write, command (S4-28)
	Tool        string          `json:"tool,omitempty"`
	Module      string          `json:"module,omitempty"` // of a custom tool: its file @sha256: its digest
	Grants      []tool.Grant    `json:"grants,omitempty"` // all that the module was given; none: it can only compute
	Description string          `json:"description,omitempty"`
	Args        json.RawMessage `json:"args,omitempty"` // canonical: what will run
	Paths       []tool.PathUse  `json:"paths,omitempty"`
	Diff        string          `json:"diff,omitempty"`
	Unchanged   bool            `json:"unchanged,omitempty"` // the file has the content that the call would write
	Rule        string          `json:"rule,omitempty"`      // the setting that asks
	Why         string          `json:"why,omitempty"`       // why the person is asked, in plain words
}

// Worker is one worker run on the way from the root to a call (S4-29).
type Worker struct {
	ID     string `json:"id"` // of its call, in the trace
	Worker string `json:"worker"`
	Depth  int    `json:"depth"`
	Task   string `json:"task,omitempty"` // the beginning of what it is to do
}

// Offers reports whether a is among the answers offered.
func (r Request) Offers(a Answer) bool { return slices.Contains(r.Answers, a) }

// Answer is what a person said (S4-30).
type Answer string

// Answers: y, n, s, a, d of SPEC §7.
const (
	Yes     Answer = "yes"
	No      Answer = "no"
	Session Answer = "session" // yes, and for these arguments until the session ends
	Always  Answer = "always"  // yes, and for any arguments of this tool
	Never   Answer = "never"   // no, and for these arguments until the session ends
)

// Decision answers the Request whose ID it carries; a decision for another
// request is a denial.
type Decision struct {
	ID     string `json:"id"`
	Answer Answer `json:"answer"`
	Reason string `json:"reason,omitempty"` // shown to the model on a denial
	Text   string `json:"text,omitempty"`   // with Yes to KindInput
}

// Approver asks a person. It blocks until there is an answer or ctx ends; an
// error, a panic or a vanished user interface is a denial. ErrNobody says
// that nobody could be asked.
type Approver interface {
	Approve(ctx context.Context, r Request) (Decision, error)
}

// Record is one settled call, for the trace. Exactly one is made per call
// that reaches the gate.
type Record struct {
	Setting  Setting
	Rule     string
	Source   string // setting, cache, mode, user
	Run      bool
	Remember Answer // Session, Always, Never, or ""
	Reason   string
	Nobody   bool // denied because nobody could be asked: exit 3
	Answered bool // a person answered this very question
}
