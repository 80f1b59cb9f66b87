package project

import (
	"encoding/json"

	"golem/core/approval"
	"golem/core/config"
	"golem/core/fault"
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
	File         string // project-relative path of the definition, "builtin:…" for built-in
	Source       string // "project", "lib:NAME", "built-in"
	Digest       string // SHA-256 (hex) of the definition's bytes and its prompt file's
	Instructions string
	Template     bool            // the instructions are a template, which is rendered at each call
	TextFile     string          // the file with the instructions: the definition or a prompt file
	TextLine     int             // the line at which they begin
	TextShifted  bool            // they are a value in YAML, so their columns are not those of the file
	Vars         json.RawMessage // an object: what a template knows as vars; nil = none

	Mode  string // "single" or "chat"
	Model string // effective "provider:name"; "" = none configured anywhere
	// ModelIsLast is true if Model is from the person's configuration, or of a
	// built-in worker: the model of a caller is then preferred to it (SPEC §3).
	ModelIsLast      bool
	Fallbacks        []string // used in this order if Model is overloaded or gone
	CompatibleModels []string
	Toolsets         []Toolset // in name order
	Delegates        Delegates
	Imports          Imports
	Sandbox          Sandbox
	Policy           approval.Policy
	Input, Output    json.RawMessage // JSON Schemas, references resolved; nil = none
	// OutputFrom is the field of the input whose value is the JSON Schema that the
	// answer to that call has to fit, besides Output; "" = none.
	OutputFrom       string
	Attachments      config.AttachmentPolicy
	AllowEmptyInput  bool
	MaxContextTokens int // 0 = no limit
	Limits           config.Limits
	Retry            config.Retry
	Delegation       config.Delegation
	ModelSettings    json.RawMessage // an object of model_settings' keys; nil = none
	ServerTools      []string        // tools that the provider runs (SPEC §2)

	// Origins tells where each effective value came from, keyed by its dotted
	// path ("model", "limits.turns"), for check --verbose: "command line",
	// "main.worker:3", "environment GOLEM_MODEL", "project.yaml:4", "default".
	Origins map[string]string

	Context []string // files of its view that it is given with its instructions: AGENTS.md

	Hardened *Hardened // the module that answers before the model; nil: the model answers

	// Tool names the custom tool that is the entry. If it is set, Instructions and
	// Model are empty.
	Tool string

	loaded  *Loaded        // the file that it is from
	eff     *yamltree.Node // the merged configuration, for Values
	missing *fault.Fault   // what Missing returns
}

// Builtin reports whether the worker is one of golem's own.
func (w *Worker) Builtin() bool { return w.Source == builtinLabel }

// Toolset is one entry of toolsets:. Options are its settings without approval:, as
// JSON; the toolset's factory decodes them and refuses keys it does not know.
type Toolset struct {
	Name    string
	Options json.RawMessage // a JSON object, never nil
	File    string          // the file that has it, for faults
	Line    int
}

// Delegates are the workers that a worker may call (S0-06). An allowed worker does not
// have to be imported.
type Delegates struct {
	Refs  []string // as written, in order; ["*"] means the project's own
	Style string   // "tools" (default), "call" or "both"
}

// Imports are the workers and tool modules that a worker names. An import alone
// permits no call.
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
	Declared bool // the worker or the manifest has a sandbox key

	// What the worker's own file sets: mounts (root, paths, mounts), restrict,
	// readonly: true, network_enabled: false. It decides how its caller's sandbox
	// and those of the workers it calls are combined with its own (SPEC §8).
	NamesMounts, NamesRestrict, SaysReadOnly, SaysNoNetwork bool

	Lent bool // some tool module may use the files (toolsets.custom.modules.X.fs)
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
	Own          bool   // the worker file has it, not only the manifest
	Origin       string // "project.yaml:8"
}
