// Package toolset makes tools from a worker's configuration: a Registry of
// factories, each given the worker's options and an Env that is all it can
// reach (S0-18..27).
package toolset

import (
	"context"
	"encoding/json"
	"io/fs"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
)

// Env is what a factory may use. There is nothing else: a tool that needs a
// capability not in here cannot have it.
type Env struct {
	Worker string // ID of the worker the tools are for
	Depth  int
	Files  sandbox.FS // the run's effective view; nil where the worker has none
	// Mounts tells which mount a virtual path belongs to, for previews.
	Mounts func(name string) (mount string)
	// Delegates are the workers this one may call, resolved and in order.
	Delegates []Delegate
	// Stranger is what is wrong with a reference in worker_call that stands for
	// no delegate; nil: E_NOT_ALLOWED.
	Stranger func(ref string) error
	// Style is how workers are offered: tools (or ""), call, both.
	Style   string
	Network bool // sandbox.network_enabled, effective
	// Partial tells why Files are not the whole project, see sandbox.Partial; ""
	// if they are. Factories with Outside need not look.
	Partial string
	// Log writes a status line for the person; level is info, warn or error.
	Log func(level, text string)
	// OutputLimit is limits.tool_output in bytes; tools that page use it.
	OutputLimit int
	// Modules are the tool modules that were found, nearest level first.
	Modules []Module
	// Inert says that nothing may be run, not even a module that would tell its
	// tools: golem check.
	Inert bool
	// Warn tells of what stops nothing; nil: nobody hears it.
	Warn func(*fault.Fault)
	// Undescribed hears of each module whose tools are not known, because only
	// running it would tell them; nil: nobody does.
	Undescribed func(path string)
}

// Module is one file of tools, not read yet.
type Module struct {
	Path   string // as messages and the trace name it
	Level  int    // the nearer one wins; 0 is the worker's own
	Locked bool   // there is a tools.lock; Digest is what it says, "" if nothing
	Digest string
	Open   func() (fs.File, error)
	// Sidecar reads the description beside it; fs.ErrNotExist if there is none.
	Sidecar func() ([]byte, error)
}

// Delegate is a worker offered as a tool (SPEC §5 Delegation).
type Delegate struct {
	ID          string // canonical worker ID
	Tool        string // its tool name, see run.ToolName
	Description string
	Input       json.RawMessage // its input schema; nil: one string "input"
	Output      json.RawMessage
	// Named reports whether a reference (SPEC §2) stands for the worker; nil:
	// only its ID does, and the tool's name.
	Named func(ref string) bool
	// Module is the tool that provides the worker, where a tool module does so
	// instead of a worker file (SPEC §5, S3-24); nil: a worker file does.
	Module tool.Tool
	// Run starts the worker. call.Args are the tool call's arguments.
	Run func(ctx context.Context, call tool.Call) (tool.Output, error)
}

// Factory makes one kind of toolset. Options returns a pointer to a new,
// zero option struct; its json tags are the toolset's known keys, and the
// worker's options are decoded into it strictly before Open. Options nil: no
// options are known.
type Factory struct {
	Name        string
	Description string
	Options     func() any
	// Outside says that the tools work on the real files, beside the view: they
	// are made only for a worker that sees the whole project (SPEC §8).
	Outside bool
	Open    func(ctx context.Context, env Env, options any) (tool.Toolset, error)
}
