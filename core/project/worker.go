package project

import (
	"encoding/json"
	"time"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/money"
	"golem/core/sandbox"
	"golem/core/yamltree"
)

// Worker is one worker with its effective configuration: manifest merged
// with the worker file, environment and flags applied (SPEC §2, §3). It is
// immutable after loading and may be shared between runs.
type Worker struct {
	ID           string // canonical ID, or the file's stem outside a workers root
	Name         string // display name; equals ID under a workers root
	Description  string
	File         string // project-relative path of the definition, "builtin/…" for built-in
	Source       string // "project", "lib:NAME", "built-in"
	Digest       string // SHA-256 (hex) of the definition's bytes and its prompt file's
	Instructions string
	Template     bool // the body has template syntax and template: false is not set

	Mode  string // "single" or "chat"
	Model string // effective "provider:name"; "" = none configured anywhere
	// ModelIsLast says that Model is the person's config's: a caller's comes
	// before it (SPEC §3).
	ModelIsLast      bool
	Fallbacks        []string // asked in order where Model is overloaded or gone
	CompatibleModels []string
	Toolsets         []Toolset // in name order
	Delegates        Delegates
	Imports          Imports
	Sandbox          Sandbox
	Policy           approval.Policy
	Input, Output    json.RawMessage // JSON Schemas, references resolved; nil = none
	Attachments      AttachmentPolicy
	AllowEmptyInput  bool
	MaxContextTokens int // 0 = no limit
	Limits           Limits
	Retry            Retry
	Delegation       Delegation
	ModelSettings    json.RawMessage // an object of model_settings' keys; nil = none

	// Origins tells where each effective value came from, keyed by its dotted
	// path ("model", "limits.turns"), for check --verbose: "command line",
	// "main.worker:3", "environment GOLEM_MODEL", "project.yaml:4", "default".
	Origins map[string]string

	// Tool is the entry, if code is the entry point: the worker then has no
	// instructions, and its model is that of nobody.
	Tool string

	eff     *yamltree.Node // the merged configuration, for Values
	missing *fault.Fault   // what Missing returns
}

// Toolset is one entry of toolsets: with the common approval part taken out.
// Options is what is left, as JSON for the factory to decode strictly.
type Toolset struct {
	Name    string
	Options json.RawMessage // a JSON object, never nil
	File    string          // where it stands, for faults
	Line    int
}

// Delegates is who a worker may call (S0-06). Allowed implies imported.
type Delegates struct {
	Refs  []string // as written, in order; ["*"] means the project's own
	Style string   // "tools" (default), "call" or "both"
}

// Imports makes workers and tool modules available; it permits nothing.
type Imports struct {
	Workers []string
	Tools   []string
}

// Sandbox is the effective sandbox configuration (SPEC §8).
type Sandbox struct {
	Mounts   []Mount // sorted by Target; the root, if mounted, is first
	Restrict string  // virtual path, "" = none
	ReadOnly bool
	Network  bool
	Declared bool // some sandbox key stands in the worker or the manifest

	// What the worker's own file says, which decides what its caller's bound and
	// its children's mean (SPEC §8): that it names mounts (root, paths, mounts), a
	// restriction, readonly: true, network_enabled: false.
	NamesMounts, NamesRestrict, SaysReadOnly, SaysNoNetwork bool

	Lent bool // a tool module is granted the files (toolsets.custom.modules.X.fs)
}

// Mount puts a directory of the project (or, with --allow-outside, of the
// host) into the virtual tree.
type Mount struct {
	Name         string // "root", the key under paths, or the target for mounts:
	Target       string // virtual path, "/" or "/input"
	Source       string // slash path relative to the project root, cleaned; or absolute/../ form
	Mode         sandbox.Mode
	Suffixes     []string // allowed file suffixes with dot, empty = any
	MaxFileBytes int64    // 0 = no limit beyond the sandbox's own
	Approval     approval.MountPolicy
	Own          bool   // stands in the worker file, not only in the manifest
	Origin       string // "project.yaml:8"
}

// AttachmentPolicy bounds what may be attached to a call (SPEC §5).
type AttachmentPolicy struct {
	MaxAttachments  int   // default 4
	MaxTotalBytes   int64 // default 10 MB (10,000,000)
	AllowedSuffixes []string
	DeniedSuffixes  []string
}

// Limits bound a worker run and everything below it. Zero durations, zero
// Tokens and zero Cost mean no limit.
type Limits struct {
	Turns         int // default 200
	ToolTimeout   time.Duration
	WorkerTimeout time.Duration
	ModelTimeout  time.Duration
	Tokens        int
	ToolOutput    int64 // bytes
	Cost          money.USD
	// OwnCost is what a person allows, in their config or for the run; Cost is
	// never above it. Against it no price counts that only the project gives.
	OwnCost money.USD
}

// Retry is the model retry policy. Attempts counts the first one; default 3.
type Retry struct {
	Attempts int
}

// Delegation bounds calls of workers by workers (S0-07, S0-08).
type Delegation struct {
	MaxDepth       int // deepest permitted depth, root 0; default 5
	WarnDepth      int // default 3
	Parallel       int // default 8
	AllowRecursion bool
}
