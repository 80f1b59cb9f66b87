// Package tool holds what every callable is to golem: a named function with
// JSON Schemas, called through one door whether it is Go code, a wasm
// function or a worker (S3-01, S3-07, S3-08).
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

// Level is how a person is shown the risk: low, medium or high (S4-28).
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

// Kind is what stands behind a name, as the trace tells it.
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

// Spec is a callable's metadata. It is shared and must not be changed after
// the tool is registered.
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
	Module      string // path of the wasm module, if any

	// NeedsApproval is the tool's own word on approval, consulted after every
	// configured setting and before the risk default (SPEC §7). nil: none.
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

	// Shell reads the strings that a tool of risk command takes, for rules. nil
	// is unknown: rules then allow only text that means nothing to any shell.
	Shell Grammar

	// Confined says that the tool holds no files, no network and no secrets: it
	// changes nothing by itself, and what it calls meets the gate for itself.
	Confined bool
	// Hosts are the hosts that a module was granted; none: it reaches no network.
	Hosts []string
	// Grants are all that a module was given beyond computing, in a fixed order.
	// A remembered approval holds for these alone.
	Grants []Grant
	// Stateful tools remember between calls: theirs keep their order, and do
	// not nest.
	Stateful bool
	// Network says that the tool tells of itself that it uses the network,
	// where Risk is stricter than that.
	Network bool
	// Timeout replaces limits.tool_timeout; negative: none.
	Timeout time.Duration
}

// Grant is one thing that a module was given, as a person is shown it.
type Grant struct {
	Name  string `json:"name"`  // files, hosts, config
	Value string `json:"value"` // "/ (rw)", "api.example.com", the keys of config
	Exact string `json:"-"`     // what Value leaves out, for comparing
}

// Call is one invocation. Args are already decoded strictly and valid against
// Spec.Input when a Tool receives them.
type Call struct {
	ID   string // the trace's hierarchical id, "0.2.1"
	Name string
	Args json.RawMessage
	Host Host // nil where the caller offers no callbacks
}

// Host lets a tool call back, as the running worker: same registry, same
// gate, depth and trace nested under the tool's own call (S3-15).
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
	// NeedsInput marks a child that ended by asking (request_input). It is a
	// normal result (S4-09).
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

// String is the result as a model reads it: the data if there is some, else the text.
func (o Output) String() string {
	if len(o.Data) > 0 {
		return string(o.Data)
	}
	return o.Text
}

// Tool is one callable. Call must honour ctx: half a second after ctx has ended
// its caller goes on without it. It may run concurrently with itself, and
// reports failure as an error, best a *fault.Fault.
type Tool interface {
	Spec() Spec
	Call(ctx context.Context, c Call) (Output, error)
}

// Previewer is a tool that can tell before it runs what a call would touch.
// Without it the gate has no paths to match rules against (it fails closed).
// Preview must not change anything.
type Previewer interface {
	Tool
	Preview(ctx context.Context, c Call) (Preview, error)
}

// Identified is a tool whose identity takes work to find out: a module's
// digest, for which its file is read. It is asked before the gate decides and
// before the call is told.
type Identified interface {
	Tool
	// Identity is the provider of the approval key, and the module as the trace
	// names it, "tools/a.wasm@sha256:<hex>".
	Identity(ctx context.Context) (provider, module string, err error)
}

// Preparer is a tool that must be made ready before it can run, as a module that
// is not compiled yet. Prepare is called after the gate has decided and before
// the call begins: what it takes has a limit of its own, and counts neither
// against the call's time nor against its place among other calls.
type Preparer interface {
	Tool
	Prepare(ctx context.Context) error
}

// Preview is what a call would do.
type Preview struct {
	// Args is the canonical form: defaults resolved, paths absolute. It is
	// what is shown, remembered and run. nil: the call's own arguments.
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
}

// Toolset is a group of tools made by a factory. Close frees what it holds.
type Toolset interface {
	Tools() []Tool
	Close() error
}
