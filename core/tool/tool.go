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

// Level returns the risk as it is shown to people: low, medium or high (S4-28).
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

// A model may call tools that are ExecLLM or ExecBoth. An ExecManual tool is in no
// model's list of tools, and a model's call of it is refused.
const (
	ExecLLM    Exec = "llm"
	ExecManual Exec = "manual"
	ExecBoth   Exec = "both"
)

// Kind says how a tool is implemented, as the trace shows it.
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

	// NeedsApproval reports whether the tool itself asks for approval of a call. It is
	// used if no setting decides, and before the default of the risk (SPEC §7). nil:
	// the tool says nothing about it.
	NeedsApproval func(args json.RawMessage) bool
	// Uses names what a call of the tool may call in turn: workers by ID, tools by
	// name, or UsesAll. It gives no permission: the gate decides on each call.
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

	// Idempotent says that a second call with the same arguments changes nothing more.
	Idempotent bool
	// Confined tools have no files, no network and no secrets: they change nothing by
	// themselves, and each call that they make goes through the gate.
	Confined bool
	// Hosts are the hosts that a module may reach; none: it has no network.
	Hosts []string
	// Grants lists everything that a module may use besides its own memory, in a fixed
	// order. A remembered approval holds only for the same grants.
	Grants []Grant
	// Files lists the operations on each mount that a tool without a preview can do. The
	// gate applies the approval settings of these mounts to every call. nil: not known, or
	// none.
	Files []PathUse
	// Stateful tools keep state between calls. Their calls run one after the other, in
	// order, and not within each other.
	Stateful bool
	// Network says that the tool declares the use of the network, if Risk does not say so
	// because it is stricter than Network.
	Network bool
	// Outside tools have their effects outside the sandbox, whatever their risk. Without
	// trust, the project's own settings approve only those of their calls whose risk is
	// Read.
	Outside bool
	// Unconfined says why the operating system does not confine what a call does, although
	// it should. Then each call asks a person: no setting of a file, kept rule or answer for
	// the session skips the question (SPEC §8). "": it is confined, or a person has said that
	// it need not be.
	Unconfined string
	// Timeout replaces limits.tool_timeout. Zero: limits.tool_timeout holds; negative: no
	// limit.
	Timeout time.Duration
}

// Grant is a permission of a module, as it is shown to people.
type Grant struct {
	Name  string `json:"name"`  // "files", "hosts" or "config"
	Value string `json:"value"` // "/ (rw)", "api.example.com", the keys of "config"
	Exact string `json:"-"`     // details that Value leaves out, to compare grants
}

// Call is one call of a tool. When a Tool receives it, Args are an object that is valid
// against Spec.Input.
type Call struct {
	ID   string // the trace's hierarchical id, "0.2.1"
	Name string
	Args *Arguments
	Host Host // nil where the caller offers no callbacks
}

// Host is the interface by which a tool calls other tools and workers: those that the
// running worker may call, through the same gate. The trace shows such a call below the
// tool's own call; a worker runs one level deeper (S3-15).
type Host interface {
	Call(ctx context.Context, name string, args json.RawMessage) (Output, error)
	// Taint says that the tool has received content from outside the project (SECURITY
	// 13). Every call that begins later counts as one after untrusted content, also a
	// call of this tool.
	Taint()
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
	// Fuel is the fuel that a module used, in units of the guard; 0 for other tools.
	// The output of a failed call has it too.
	Fuel int64
	// FuelVaries says that the same call may use another amount of fuel next time.
	FuelVaries bool
	// Refused says what a module first used without a grant, in a call that ended well.
	Refused string
}

// FileDiff describes the change of one file.
type FileDiff struct {
	Path   string // virtual
	Before string // SHA-256 of the old content, hex; "" if there was none
	After  string
	Patch  string // unified
}

// String returns the result as one value: Data if there is some, else Text.
func (o Output) String() string {
	if len(o.Data) > 0 {
		return string(o.Data)
	}
	return o.Text
}

// Beside returns the text that a tool gave beside Data; "" if there is none, or if it is
// Data once more, as servers write it for older clients.
func (o Output) Beside() string {
	if len(o.Data) == 0 || o.NeedsInput || o.Text == "" {
		return ""
	}
	if text, err := Canonical(json.RawMessage(o.Text)); err == nil {
		if data, err := Canonical(o.Data); err == nil && string(text) == string(data) {
			return ""
		}
	}
	return o.Text
}

// Read returns the whole result as a model reads it: String, and the text beside it.
func (o Output) Read() string {
	if text := o.Beside(); text != "" {
		return o.String() + "\n\n" + text
	}
	return o.String()
}

// Tool is one callable. Call must return when ctx ends: half a second later the caller
// continues without its result. Call may be called concurrently. It returns failures as
// errors, preferably as a *fault.Fault.
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

// Identifier is a tool of a module, whose identity is the digest of the module's file.
// Because the file must be read for it, the identity is not in the Spec. Identity is
// called before the gate decides and before the call is traced.
type Identifier interface {
	Tool
	// Identity returns the SHA-256 (hex) of the module Spec.Module, which is the
	// provider for the approval key.
	Identity(ctx context.Context) (digest string, err error)
}

// Pinned returns a module's path with its digest, for the trace and for people:
// "tools/a.wasm@sha256:<hex>". Do not parse the result: a path may contain the same
// text.
func Pinned(module, digest string) string { return module + "@sha256:" + digest }

// Preparer is a tool that must be prepared before it can run: a module that is not
// compiled yet. Prepare is called after the gate has decided and before the call
// starts. Its time does not count against the call's timeout, and other calls go on
// meanwhile.
type Preparer interface {
	Tool
	Prepare(ctx context.Context) error
}

// Admitter is a tool whose calls share something limited, such as the memory of modules.
// Admit is called after the gate has decided, before the call waits for its turn and
// before its timeout begins; it may wait. leave is called after the call.
type Admitter interface {
	Tool
	Admit(ctx context.Context, call string) (leave func(), err error)
}

// Preview describes the effects of a call before it runs.
type Preview struct {
	// Args are the arguments in canonical form: with defaults, paths absolute. A person
	// is shown these arguments, an approval is remembered for them, and the call runs
	// with them. nil: the arguments of the call.
	Args  *Arguments
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
	Op    string `json:"op"`              // "read", "write" or "delete"
	Mount string `json:"mount,omitempty"` // the mount's name; "root" for /
	Path  string `json:"path"`            // as the worker sees it, such as "/output/a.md"
	// Deep says that the call goes through all that is below Path.
	Deep bool `json:"-"`
	// Staged says that the change is staged (clearance): it does not reach the real
	// file until a person pushes it.
	Staged bool `json:"-"`
	// Outside says that the mount shows files outside the project.
	Outside bool `json:"-"`
	// Instructs says that workers are given the file as instructions (AGENTS.md).
	Instructs bool `json:"-"`
}

// Toolset is a group of tools that a factory made. The caller that opened it calls Close
// when no more tools are called: it frees what the tools use.
type Toolset interface {
	Tools() []Tool
	Close() error
}

// Changing is a toolset whose tools can change while a worker runs. Refresh is called
// between two turns, when none of its tools runs. It reports whether Tools now returns
// another list. If it fails, the list has not changed.
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
