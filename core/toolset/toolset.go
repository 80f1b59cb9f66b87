// Package toolset makes tools from a worker's configuration. A Registry has factories; each
// gets the worker's options and an Env, and can reach nothing else (S0-18..27).
package toolset

import (
	"context"
	"encoding/json"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
)

// Env has everything that the tools of a factory can use.
type Env struct {
	Worker string // ID of the worker that the tools are for
	// Files is the worker's view; nil if it sees no files.
	Files sandbox.FS
	// View is the worker's view even if it has no file tools. It is only for
	// tools that work on the real files (Factory.Outside).
	View        sandbox.FS
	Network     bool // the worker may use the network
	OutputLimit int  // limits.tool_output in bytes, for tools that page their results
	Run         Run  // nil: the tools are made outside a run
}

// Run is what tools can use of the run that they are made for.
type Run interface {
	// Log writes a status line for the person; level is info, warn or error.
	Log(level, text string)
	// Rewrote tells that a command changed files that define the project, so that a person
	// is asked before they are used: their names from the project's root, each with the
	// SHA-256 of its content, or "" if it is gone.
	Rewrote(files map[string]string)
	// Value returns the text of a value in the options: the text in the file, or the
	// person's environment variable or secret that the file names. Call it in a call of a
	// tool, not in Open: only then has a person trusted the file. E_PLATFORM says that there
	// are no such values.
	Value(tool.Value) (string, error)
	// Redact removes from a text the person's values that Value has returned.
	Redact(text string) string
}

// Log writes a status line, see Run.
func (e Env) Log(level, text string) {
	if e.Run != nil {
		e.Run.Log(level, text)
	}
}

// Call calls a tool or a worker on behalf of the running worker, through the same
// gate. It can be used only during a call of one of the toolset's tools; within is that
// call, and the new call is below it in the trace (S3-15).
func (Env) Call(ctx context.Context, within tool.Call, name string, args json.RawMessage) (tool.Output, error) {
	if within.Host == nil {
		return tool.Output{}, fault.New(fault.Tool, "%s was called outside the call of a tool", name).
			Hinting("Env.Call needs the tool.Call that runs: make the tool with tool.FuncWithCall")
	}
	return within.Host.Call(ctx, name, args)
}

// Uses returns the operations among ops that a view allows on each of its mounts, for
// tool.Spec.Files of a tool that can do all of them.
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

// Below returns the operation on each mount of a view that lies below the directory name
// (an io/fs name), for the preview of a call that goes through all of that directory.
func Below(view sandbox.FS, op, name string) []tool.PathUse {
	var out []tool.PathUse
	for _, m := range sandbox.Mounts(view) {
		if at := nameOf(m.At); at != name && sandbox.Within(at, name) {
			out = append(out, tool.PathUse{Op: op, Mount: m.Name, Path: m.At})
		}
	}
	return out
}

// Factory makes one kind of toolset. Options returns a pointer to a new option struct, and
// Open gets it with the worker's options decoded into it. The json tags of its fields are
// the keys that a worker may write; other keys are errors. If Options is nil, the toolset
// has no options.
type Factory struct {
	Name    string
	Options func() any
	// Outside says that the tools work on the real files instead of Env.Files.
	// A worker gets them only if it sees the whole project, or if the tools can be
	// confined to its view (Registry.Whole, SPEC §8).
	Outside bool
	// Confines returns why the tools cannot be confined to a view that is not the whole
	// project, or "" if they can. nil: they never can.
	Confines func(view sandbox.FS) string
	Open     func(ctx context.Context, env Env, options any) (tool.Toolset, error)
}
