package wasmtool

import (
	"cmp"

	"golem/core/fault"
	"golem/core/tool"
	"golem/core/wasmtool/guard"
)

// Ending describes the end of a call as the engine saw it, for Session.Result or Judge.
type Ending struct {
	Fault  error  // the error with which a host function ended the call
	Trap   string // the engine's message about the trap; "" if there was none
	Exited bool   // proc_exit was called
	Code   int    // argument of proc_exit, or what the export returned
	Memory int64  // as in Limits
	Flags  int32  // flags that the guard set in the module
	Left   int64  // the module's fuel counter
	Output []byte // a command's standard output; if it is empty, what it set as a plug-in
	Stderr []byte // the end of stderr

	// These are set by a Session.
	Message []byte       // text of error_set
	Refused *fault.Fault // the first thing that the module used without a grant
	Fuel    int64        // used
}

// Result completes e from the session and returns the result or the error of the call.
func (s *Session) Result(e Ending) (Result, error) {
	if s.In.Form != Command || len(e.Output) == 0 {
		e.Output = s.Output()
	}
	e.Memory = s.In.Limits.Memory
	e.Message, e.Refused, e.Fuel = s.Message(), s.refused, s.Meter.Used(e.Left)
	return Judge(s.In.Form, e)
}

// Judge returns the result or the error of a call, in the same way for every engine. The
// error with which a host function ended the call comes first. If the call failed, the
// reason is the first of: a recursion that was too deep, a use without a grant, a lack of
// memory, the module's own error, the trap, the exit code. An engine whose sessions run
// elsewhere sets all fields of the ending; Output is then the output of the form.
func Judge(form Form, e Ending) (Result, error) {
	r := Result{Output: e.Output, Stderr: e.Stderr, Exit: e.Code, Fuel: e.Fuel, Refused: e.Refused}
	f := e.failure(form)
	if f == nil {
		return r, nil
	}
	r.Output = nil
	return r, f
}

func (e Ending) failure(form Form) *fault.Fault {
	grew := e.Flags&guard.FlagGrew != 0
	failed := e.Trap != "" || e.Exited && e.Code != 0 || len(e.Message) > 0 || form == Extism && e.Code != 0
	switch {
	case e.Fault != nil:
		return fault.Of(e.Fault, fault.ToolTrap)
	case !failed:
		return nil
	case e.Flags&guard.FlagDepth != 0 && e.Trap != "":
		return fault.New(fault.ToolStack, "the module's functions called each other too deep").
			Hinting("give it less to do in one call; it may call itself without end")
	case e.Refused != nil:
		return e.Refused
	case grew && (e.Trap != "" || e.Exited):
		return fault.New(fault.ToolMemory, "the module ran out of its %d MiB of memory", cmp.Or(e.Memory, tool.UsualMemory)>>20).
			Hinting("give it less to do in one call, or more memory: memory in toolsets.custom.modules; tools.memory of your config.yaml is the most that a project can give")
	case len(e.Message) > 0:
		return fault.New(fault.Tool, "%s", Escape(e.Message, 4096))
	case e.Trap != "":
		return fault.New(fault.ToolTrap, "the module trapped: %s%s", Escape([]byte(trapWord(e.Trap)), 200), stderrText(e.Stderr))
	}
	return fault.New(fault.ToolExit, "the module ended with exit code %d%s", e.Code, stderrText(e.Stderr))
}

// stderrText returns ": " and the end of what a module wrote to stderr, to append to an error
// message, or "".
func stderrText(stderr []byte) string {
	if len(stderr) > 2048 {
		stderr = stderr[len(stderr)-2048:]
	}
	if words := Escape(stderr, 2048); words != "" {
		return ": " + words
	}
	return ""
}
