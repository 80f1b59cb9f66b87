// Package tool defines what golem can call: a tool has a name and JSON Schemas, and
// is called in the same way whether it is Go code, a wasm function or a worker
// (S3-01, S3-07, S3-08).
package tool

import (
	"context"
	"encoding/json"
	"time"
)

// Risk is what a call can do to the world outside the conversation (S3-18).
// The empty risk is unknown and treated like Command.
type Risk string

// Risks, least first (SPEC §6).
const (
	Read        Risk = "read"
	Write       Risk = "write"
	Network     Risk = "network"
	Destructive Risk = "destructive"
	Command     Risk = "command"
)

// Level is the risk as people read it: low, medium or high (S4-28).
func (r Risk) Level() string {
	switch r {
	case Read:
		return "low"
	case Write, Network:
		return "medium"
	}
	return "high"
}

// Exec says who may start a tool (S4-02..04). The zero value is ExecLLM.
type Exec string

// ExecManual tools are in no model's list and refused to model callers.
const (
	ExecLLM    Exec = "llm"
	ExecManual Exec = "manual"
	ExecBoth   Exec = "both"
)

// Kind is what a tool is made of, as the trace shows it.
type Kind string

// Kinds of callable (SPEC §16, tool.start).
const (
	Builtin Kind = "builtin"
	Wasm    Kind = "wasm"
	Worker  Kind = "worker"
)

// UsesAll in Spec.Uses stands for every other tool and worker that the running
// worker may call.
const UsesAll = "*"

// Spec describes a tool. It is shared: do not change it after the tool is added to a
// Set.
type Spec struct {
	Name        string // as the model calls it
	Description string
	Input       json.RawMessage // JSON Schema 2020-12 of the arguments; nil = any object
	Output      json.RawMessage // JSON Schema of the result; nil = undeclared
	Risk        Risk
	Exec        Exec
	Kind        Kind   // zero: Builtin
	Toolset     string // the toolset that made it, e.g. "filesystem"
	Provider    string // approval-key part: "builtin", a worker ID or a module digest
	Module      string // path of the wasm module, if any, without its digest

	// NeedsApproval tells whether a call needs approval in the tool's own view. It is
	// used if no setting decides, and before the default of the risk (SPEC §7). nil:
	// the tool has no view.
	NeedsApproval func(args json.RawMessage) bool
	// Uses names what a call of the tool may call in turn: workers by ID, tools by
	// name, or UsesAll. It is what the tool needs, not what it may: the gate decides
	// on each call.
	Uses []string
	// Rules are further names under which tool_rules and approval settings
	// address this tool, e.g. "worker.call", "sandbox.write".
	Rules []string
	// Target is the worker that a call of the tool runs: its ID, or the name in
	// allowed_workers that the tool's module provides because no worker file does.
	Target string

	// Shell parses the command lines that a tool of risk command takes, so that rules
	// can match them. nil: the shell is unknown, and rules allow only text that has no
	// meaning to any shell.
	Shell Grammar

	// Confined tools have no files, no network and no secrets: they change nothing by
	// themselves, and each call that they make goes through the gate.
	Confined bool
	// Hosts are the hosts that a module may reach; none: it has no network.
	Hosts []string
	// Grants are all that a module may use besides its own memory, in a fixed order. A
	// remembered approval holds only for the same grants.
	Grants []Grant
	// Files are what a tool without a preview can do with the files of the sandbox: the
	// operations on each mount. The mounts' approvals hold for all of them in every call.
	// nil: not known, or none.
	Files []PathUse
	// Stateful tools remember something between calls: their calls run one after the
	// other, in order, and not within each other.
	Stateful bool
	// Network tools say that they use the network; set where Risk is stricter than
	// Network.
	Network bool
	// Outside tools have their effects outside the sandbox, whatever their risk: what
	// a project says of itself approves none of their calls beyond read.
	Outside bool
	// Timeout replaces limits.tool_timeout; negative: none.
	Timeout time.Duration
}

// Grant is one thing that a module may use, as people read it.
type Grant struct {
	Name  string `json:"name"`  // files, hosts, config
	Value string `json:"value"` // "/ (rw)", "api.example.com", the keys of config
	Exact string `json:"-"`     // what Value leaves out, for comparing
}

// Call is one call of a tool. When a Tool receives it, Args were decoded strictly and
// are valid against Spec.Input.
type Call struct {
	ID   string // the trace's hierarchical id, "0.2.1"
	Name string
	Args json.RawMessage
	Host Host // nil where the caller offers no callbacks
}

// Host lets a tool call what the running worker may call, through the same gate. The
// call is traced below the tool's own; a worker runs one level deeper (S3-15).
type Host interface {
	Call(ctx context.Context, name string, args json.RawMessage) (Output, error)
}

// Part is one piece of content that is not plain text.
type Part struct {
	Type string `json:"type"` // "image" or "resource"
	MIME string `json:"mimeType,omitempty"`
	Name string `json:"name,omitempty"`
	Data []byte `json:"data,omitempty"`
}

// Output is a tool's result: text, or a kind with data and a summary (SPEC
// §6). The zero value is an empty text, which is a valid result.
type Output struct {
	Text    string
	Kind    string          // "", text, diff, file, list, table, json; others are shown as JSON
	Data    json.RawMessage // the structured result, if Kind is neither "" nor "text"
	Summary string
	Parts   []Part
	Diff    *FileDiff // the change to a file, for people; models read the text
	// NeedsInput says that a worker asked its caller instead of answering
	// (request_input). It is a normal result (S4-09).
	NeedsInput bool
	// Untrusted marks content from outside the project (SECURITY 13).
	Untrusted bool
	// Fuel is what a module used, in units of the guard; 0 for other tools. A
	// failed call's output has it too.
	Fuel int64
	// FuelVaries says that the same call may use other fuel.
	FuelVaries bool
}

// FileDiff is one file's change.
type FileDiff struct {
	Path   string // virtual
	Before string // SHA-256 of the old content, hex; "" if there was none
	After  string
	Patch  string // unified
}

// String returns the result as a model reads it: Data if there is some, else Text.
func (o Output) String() string {
	if len(o.Data) > 0 {
		return string(o.Data)
	}
	return o.Text
}

// Tool is one callable. Call must return when ctx ends: half a second later the caller
// goes on without it. Call may be called concurrently. It returns failures as errors,
// best as a *fault.Fault.
type Tool interface {
	Spec() Spec
	Call(ctx context.Context, c Call) (Output, error)
}

// Previewer is a tool that can tell what a call would do before it runs. For other
// tools the gate knows no paths, so that rules on paths do not allow their calls.
// Preview must not change anything.
type Previewer interface {
	Tool
	Preview(ctx context.Context, c Call) (Preview, error)
}

// Identifier is a tool whose identity must be computed: a module's digest, for which
// its file is read. Identity is called before the gate decides and before the call is
// traced.
type Identifier interface {
	Tool
	// Identity returns the SHA-256 (hex) of the module Spec.Module, which is the
	// provider for the approval key.
	Identity(ctx context.Context) (digest string, err error)
}

// Pinned names a module with its digest, for the trace and for people:
// "tools/a.wasm@sha256:<hex>". A path may hold any of that, so nothing is decided by
// taking it apart again.
func Pinned(module, digest string) string { return module + "@sha256:" + digest }

// Preparer is a tool that must be made ready before it can run: a module that is not
// compiled yet. Prepare is called after the gate has decided and before the call
// starts. Its time does not count against the call's timeout, and other calls go on
// meanwhile.
type Preparer interface {
	Tool
	Prepare(ctx context.Context) error
}

// Preview is what a call would do.
type Preview struct {
	// Args are the arguments in canonical form: with defaults, paths absolute. They are
	// what a person is shown, what is remembered and what runs. nil: those of the call.
	Args  json.RawMessage
	Paths []PathUse
	Diff  string // unified diff of the file change, if there is one
	// Before is the SHA-256 (hex) of the file the diff was made against, ""
	// if it did not exist. The tool compares again when it writes.
	Before string
	// Risk, if set, replaces the Spec's risk for this call (never lower).
	Risk Risk
}

// PathUse is one sandbox path a call uses.
type PathUse struct {
	Op    string `json:"op"`              // read, write, delete
	Mount string `json:"mount,omitempty"` // the mount's name, "root" for /
	Path  string `json:"path"`            // canonical and absolute, "/output/a.md"
	// Staged says that the change is kept apart from the real file.
	Staged bool `json:"-"`
}

// Toolset is a group of tools that a factory made. Close frees what they hold.
type Toolset interface {
	Tools() []Tool
	Close() error
}

// Changing is a toolset whose tools can change while a worker runs. Refresh is called
// between two turns, when none of its tools runs, and tells whether Tools is another
// list now. With an error the list is as it was.
type Changing interface {
	Toolset
	Refresh(ctx context.Context) (changed bool, err error)
}

// Hidden is a tool that can be called but, while Hidden returns true, is not offered to
// the model.
type Hidden interface {
	Tool
	Hidden() bool
}
