// Package toolset makes tools from a worker's configuration: a Registry of
// factories, each given the worker's options and an Env that is all it can
// reach (S0-18..27).
package toolset

import (
	"context"
	"encoding/json"

	"golem/core/sandbox"
	"golem/core/tool"
)

// Env is all that a factory can reach: a tool that needs more cannot have it.
type Env struct {
	Worker string // ID of the worker that the tools are for
	// Files are what the worker sees; nil if it sees no files.
	Files sandbox.FS
	// View is what the worker may see, also if it has no file tools. It is only for
	// tools that work on the real files (Factory.Outside).
	View        sandbox.FS
	Network     bool // the worker may use the network
	OutputLimit int  // limits.tool_output in bytes, for tools that page their results
	// Log writes a status line for the person; level is info, warn or error. nil:
	// nobody reads it.
	Log func(level, text string)
	// Value returns the text of a value in the options: what the file says, or what the
	// person keeps under the name that the file says. Ask for it when it is needed, not
	// in Open: by then a person has trusted the file. nil: only texts can be used.
	Value func(tool.Value) (string, error)
	// Redact takes the values of the person that Value has returned out of a text. nil:
	// there are none.
	Redact func(string) string
	// Call calls a tool or a worker as the running worker, through the same gate,
	// while a call of one of the toolset's tools runs; within is that call, and
	// the new one is traced below it (S3-15).
	Call func(ctx context.Context, within tool.Call, name string, args json.RawMessage) (tool.Output, error)
}

// Uses are the operations that a view allows on its mounts, for tool.Spec.Files of a tool
// that can do all of them.
func Uses(view sandbox.FS, ops ...string) []tool.PathUse {
	var out []tool.PathUse
	for _, m := range sandbox.Mounts(view) {
		for _, op := range ops {
			if op == "read" || m.Mode != sandbox.ReadOnly {
				out = append(out, tool.PathUse{Op: op, Mount: m.Name, Path: m.At})
			}
		}
	}
	return out
}

// Factory makes one kind of toolset. Options returns a pointer to a new option
// struct. Its json tags are the keys that a worker may write; unknown keys are errors.
// The worker's options are decoded into it before Open. If Options is nil, the toolset
// has no options.
type Factory struct {
	Name    string
	Options func() any
	// Outside says that the tools work on the real files instead of Env.Files.
	// Only a worker that sees the whole project gets them (Registry.Whole, SPEC §8),
	// or one to whose view the tools are confined.
	Outside bool
	// Confines says why the tools cannot be confined to a view that is not the whole
	// project; "" if they can. nil: they never can.
	Confines func(view sandbox.FS) string
	Open     func(ctx context.Context, env Env, options any) (tool.Toolset, error)
}
