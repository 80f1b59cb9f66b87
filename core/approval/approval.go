// Package approval decides before each call of a tool whether it may run. Its
// Gate is the only way to a tool. It looks at, in this order, the settings and
// rules, the decisions remembered in this session, the approval mode and, last,
// asks a person (SPEC §7; S0-28..41, S3-17..19).
package approval

import (
	"context"
	"encoding/json"
	"slices"

	"golem/core/tool"
)

// Setting says whether a call runs without asking, asks, or never runs
// (S0-32..34). "" means that nothing is set.
type Setting string

// Settings.
const (
	PreApproved Setting = "preApproved"
	Ask         Setting = "ask"
	Blocked     Setting = "blocked"
)

// Mode says what happens with calls whose setting is ask (S0-29..31). "" is
// Interactive.
type Mode string

// Modes.
const (
	Interactive Mode = "interactive"
	ApproveAll  Mode = "approve_all"
	AutoDeny    Mode = "auto_deny"
)

// Rule decides calls of one tool by their arguments. Of a list of rules the first that
// matches counts; a blocked setting elsewhere comes before it. When maps an argument's
// name to a doublestar glob for the argument's canonical value; for the command line of a
// tool of risk command it is a pattern of words. "" also matches an
// argument that is not given. The name "path" also matches every path in the call's
// preview.
type Rule struct {
	Tool string            `json:"tool"`
	When map[string]string `json:"when,omitempty"`
	// Server is the Provider of a tool of an MCP server: the rule is for the tool of this
	// configuration of the server, as the server describes it now. "": any tool of the name.
	Server string  `json:"server,omitempty"`
	Decide Setting `json:"decide"`
	Origin Origin  `json:"-"`
}

// Policy is the approval configuration that applies to one worker, in the order
// of SPEC §7. With the zero value the tool and its risk decide.
type Policy struct {
	WorkerTools    map[string]Setting // worker, per tool: toolsets.*.approval.tools and tool_rules
	WorkerDefaults map[string]Setting // worker, per toolset: toolsets.*.approval.default
	ProjectTools   map[string]Setting // manifest approval.tools
	ProjectDefault Setting            // manifest approval.default
	Rules          []Rule             // manifest approval.rules
	Mounts         map[string]MountPolicy
	// Origins tells where in the files each setting is and who wrote it. Its
	// keys are "worker.tool:NAME", "worker.toolset:NAME", "project.tool:NAME",
	// "project.default" and "mount:NAME:OP".
	Origins map[string]Origin
	// Reach limits what the settings above can approve without a person's
	// trust.
	Reach Reach
	// Here is what the person's config.yaml says for this project, and
	// Everywhere what it says for all projects. A file of the project cannot
	// relax their ask and blocked.
	Here, Everywhere Personal
}

// Personal is a person's own approval settings, from $GOLEM_HOME/config.yaml
// (SPEC §3).
type Personal struct {
	Tools   map[string]Setting
	Default Setting
	Rules   []Rule
	Origins map[string]Origin // keyed "tool:NAME", "default"
}

// MountPolicy is the approval setting of a mount for each operation (read,
// write, delete).
type MountPolicy map[string]Setting

// Request is everything that a person is shown before they answer. A front end
// may fold long values but must never leave any out.
type Request struct {
	ID         string   `json:"id"`                   // an answer belongs to it
	Kind       Kind     `json:"kind"`                 // "tool", "trust", "turns" (go on after a limit), "resume" (how a conversation goes on), "input" (a text for a worker that asks) or "secret" (send a text that looks like an API key)
	Call       string   `json:"call,omitempty"`       // the id of the call in the trace
	Risk       string   `json:"risk"`                 // "low", "medium" or "high"
	WorkerPath []string `json:"workerPath,omitempty"` // the workers from the first to the one that asks
	Workers    []Worker `json:"workers,omitempty"`    // the same, with their calls and tasks
	// Answers are the answers that a person can choose from. Always is one of
	// them only where it may cover other arguments: never for tools of risk
	// destructive or command (SECURITY 8), but for those of MCP servers, which a
	// person trusted as programs.
	Answers []Answer `json:"answers"` // those that are offered: "yes", "no", "session", "never", "always", "keep"

	Title string `json:"title,omitempty"` // of a question that is not about a call
	Lines []Line `json:"lines,omitempty"` // of such a question: what a yes covers

	Type        string          `json:"type,omitempty"`        // of a call: "tool_call", "file_write" or "command"
	Tool        string          `json:"tool,omitempty"`        // its tool
	Module      string          `json:"module,omitempty"`      // of a custom tool: "tools/a.wasm@sha256:…"
	Grants      []tool.Grant    `json:"grants,omitempty"`      // all that the module may do; without it, the module can only compute
	Description string          `json:"description,omitempty"` // what the tool says of itself
	Args        json.RawMessage `json:"args,omitempty"`        // exactly what will run
	Paths       []tool.PathUse  `json:"paths,omitempty"`       // the files
	Diff        string          `json:"diff,omitempty"`        // the change
	Unchanged   bool            `json:"unchanged,omitempty"`   // the file already has the content that the call would write
	Runs        []string        `json:"runs,omitempty"`        // the commands in a command of several lines
	Rule        string          `json:"rule,omitempty"`        // the setting that asks
	Why         string          `json:"why,omitempty"`         // why the person is asked, in plain words
	Lasting     *Lasting        `json:"lasting,omitempty"`     // the rule that "keep" saves; show it whole before
	ByRule      bool            `json:"-"`                     // one answer may cover other arguments by a rule (SPEC §19)
}

// Worker is one running worker on the path from the root to a call (S4-29).
type Worker struct {
	ID     string `json:"id"`             // of its call, in the trace
	Worker string `json:"worker"`         // its ID
	Depth  int    `json:"depth"`          // how many workers are above it
	Task   string `json:"task,omitempty"` // the beginning of its input
}

// Offers reports whether a person may give the answer a.
func (r Request) Offers(a Answer) bool { return slices.Contains(r.Answers, a) }

// Answer is a person's answer to a request (S4-30).
type Answer string

// The answers y, n, s, a, d and r (SPEC §7, scenario 59), in this order.
const (
	Yes     Answer = "yes"
	No      Answer = "no"
	Session Answer = "session" // yes, and for these arguments until the session ends
	Always  Answer = "always"  // yes, and for any arguments of this tool
	Never   Answer = "never"   // no, and for these arguments until the session ends
	Keep    Answer = "keep"    // yes, and Request.Lasting is saved in the person's own configuration
)

// Decision is the answer to the request with the same ID. A decision with
// another ID counts as a denial.
type Decision struct {
	ID     string `json:"id"`
	Answer Answer `json:"answer"`
	Reason string `json:"reason,omitempty"` // shown to the model on a denial
	Text   string `json:"text,omitempty"`   // with Yes to KindInput
}

// Approver asks a person. It waits until there is an answer or ctx ends. An
// error or a panic counts as a denial. ErrNobody says that nobody could be
// asked.
type Approver interface {
	Approve(ctx context.Context, r Request) (Decision, error)
}

// Record is the outcome of one decision, for the trace. The gate makes exactly
// one for each call that reaches it.
type Record struct {
	Setting  Setting
	Rule     string
	Source   string // setting, cache, mode, user
	Run      bool
	Remember Answer // Session, Always, Never, Keep, or ""
	Reason   string
	Nobody   bool // denied because nobody could be asked: the exit code is 3
	Answered bool // a person answered this question
	// Unsaved is the error of AnswerStore.Answered: the answer counts for this run, but could
	// not be saved for later ones.
	Unsaved error
	// Allow is the rule that would have let the call run; nil unless it was denied
	// because nobody could be asked and there is such a rule.
	Allow *Lasting
}
