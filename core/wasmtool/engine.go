// Package wasmtool makes tools from `.wasm` files (SPEC §6). It recognises the
// three forms of tools by their exports, finds a module's description, applies
// grants and limits, and passes the guarded bytes to an Engine. Modules are
// treated as hostile: an engine never gets bytes that package guard has not
// checked and changed (SECURITY 7).
package wasmtool

import (
	"context"
	"time"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/wasmtool/guard"
)

// Engine runs guarded modules. Its interface contains nothing of a particular
// engine's API, so that an engine can run in another web worker or process: each
// engine implements memory, the Extism handles and WASI itself. All engines pass
// the tests of package enginetest.
type Engine interface {
	// Name is "wazero" or "browser".
	Name() string
	// Compile compiles bytes that guard.Weave returned. digest identifies the
	// compiled code in the engine's cache: it is the digest of the original
	// module, with the memory limit if that is not the default. Compiling may take
	// seconds and should stop when ctx ends. The caller must Close the module.
	Compile(ctx context.Context, guarded []byte, digest string) (Compiled, error)
	// Close releases the engine and every module that it compiled. It may be called
	// while modules are compiled or called: Close interrupts them or waits for them.
	Close() error
}

// Compiled is a compiled module that can be instantiated. It is safe for
// concurrent use.
type Compiled interface {
	// Call runs one export in a new instance. Errors are a *fault.Fault with a
	// code of SPEC §15: ToolFuel, ToolMemory, ToolStack, ToolTrap, ToolExit,
	// ToolImport, ToolSize, Timeout, Interrupted, Grant, Network, or Tool for
	// an error that the module itself reports. The result has the fuel used and
	// the end of stderr in every case.
	Call(ctx context.Context, in Invocation, host Host) (Result, error)
	// Keep returns an instance that keeps its memory between calls (stateful:
	// true). Its first call instantiates it.
	Keep() Instance
	Close() error
}

// Instance is an instance that is kept between calls. Its calls must not
// overlap. A call that fails discards the instance, and the next call starts a
// new one.
type Instance interface {
	Call(ctx context.Context, in Invocation, host Host) (Result, error)
	Close() error
}

// Form says how a module is called.
type Form string

// The forms of a call: an export with Extism input and output, or a WASI
// preview 1 command.
const (
	Extism  Form = "extism"
	Command Form = "command"
)

// Invocation is one call of an export.
type Invocation struct {
	Form   Form
	Export string            // for the Extism form; a command always uses _start
	Input  []byte            // Extism input
	Args   []string          // arguments of a command, including argv[0]
	Stdin  []byte            // the complete standard input of a command
	Config map[string]string // values for config_get
	Limits Limits
	Fill   guard.Filling // what a new instance's memory gets before anything runs
}

// Limits limit one call. A field that is 0 means the default.
type Limits struct {
	Fuel   int64         // units of fuel, see package guard; default DefaultFuel
	Output int64         // bytes of output, and of standard output; default DefaultOutput
	Memory int64         // bytes that the module was compiled for, for error messages; default 64 MiB
	Time   time.Duration // time the module runs and waits; by default only ctx limits it
}

// Default limits of a call. Memory is not one of them, because the guard limits it in
// the module.
const (
	DefaultFuel   int64 = 2_000_000_000_000
	DefaultOutput int64 = tool.UsualOutput
	StderrLimit         = 64 << 10 // bytes kept of stderr: its end
)

// Host has everything that a module can reach. A nil field is not granted: a
// module that uses it gets E_GRANT, and nothing else happens.
type Host struct {
	HTTP   func(ctx context.Context, r HTTPRequest) (HTTPResponse, error)
	Call   func(ctx context.Context, name string, args []byte) []byte // golem_call: returns the result, or {"error":…}
	Files  sandbox.FS                                                 // the worker's view, for WASI
	Log    func(level, text string)                                   // trace, debug, info, warn, error
	Chance Chance                                                     // nil: Fixed
}

// Chance is the time and the random numbers of a module.
type Chance interface {
	Now() time.Time
	Random(b []byte) error // fills b
}

// Fixed is a Chance whose time is one second after the epoch and whose random bytes are 0.
type Fixed struct{}

// Now returns one second after the epoch.
func (Fixed) Now() time.Time { return time.Unix(1, 0) }

// Random fills b with 0.
func (Fixed) Random(b []byte) error {
	clear(b)
	return nil
}

// HTTPRequest is the request of a module to http_request.
type HTTPRequest struct {
	URL    string            `json:"url"`
	Method string            `json:"method"`
	Header map[string]string `json:"headers"`
	Body   []byte            `json:"-"`
}

// HTTPResponse is the response to an HTTPRequest. Header names are in lower case.
type HTTPResponse struct {
	Status int
	Header map[string]string
	Body   []byte
	URL    string // the last URL, after redirects; "": the requested one
}

// Result is the result of one call. After a failure only Stderr, Exit and Fuel are set.
type Result struct {
	Output []byte // of the export, or a command's standard output
	Stderr []byte // the end of stderr
	Exit   int    // exit code of a command, or what an export returned
	Fuel   int64  // fuel used, including the start of the instance

	Refused *fault.Fault // the first thing that the module used without a grant; nil: there was none
}
