package wasmtool

import (
	"context"
	"errors"
	"slices"

	"golem/core/fault"
	"golem/core/wasmtool/guard"
)

// slotExport is the export of golem's JavaScript engine that says where the sources of a tool
// begin in its memory. All tools with the same engine share its compiled code.
const slotExport = "golem_slot"

// filled is a module whose instances begin with a filling in their memory.
type filled struct {
	Compiled
	filling guard.Filling
}

// Call runs one export in a new instance.
func (f filled) Call(ctx context.Context, in Invocation, host Host) (Result, error) {
	in.Fill = f.filling
	return f.Compiled.Call(ctx, in, host)
}

// Keep returns an instance that keeps its memory between calls.
func (f filled) Keep() Instance { return filledInstance{f.Compiled.Keep(), f.filling} }

type filledInstance struct {
	Instance
	filling guard.Filling
}

// Call runs one export. The engine fills the memory when it makes the instance.
func (f filledInstance) Call(ctx context.Context, in Invocation, host Host) (Result, error) {
	in.Fill = f.filling
	return f.Instance.Call(ctx, in, host)
}

// explained returns the error of a call with what it means in JavaScript: the engine ends a
// recursion of functions, and JSON that is nested too deep, itself, with its line, so that what
// used up the stack is the text of a program.
func (m *Module) explained(err error) error {
	if !errors.Is(err, fault.ToolStack) || !slices.ContainsFunc(m.info.Exports, func(e guard.Export) bool { return e.Name == slotExport }) {
		return err
	}
	return fault.New(fault.ToolStack, "eval or Function got a program that is nested too deep for the JavaScript engine").
		Hinting("nest it less deep: about 100 pairs of brackets in one another are the most")
}
