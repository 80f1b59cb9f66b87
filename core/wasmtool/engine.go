// Package wasmtool makes tools from `.wasm` files (SPEC §6): it recognises the
// three forms by their exports, finds what a module describes, holds it to its
// grants and limits, and hands guarded bytes to an Engine. Modules are hostile:
// no byte reaches an engine before package guard has passed it (SECURITY 7).
package wasmtool

import (
	"context"
	"time"

	"golem/core/sandbox"
)

// Engine runs guarded modules. Nothing of an engine's own API appears in it:
// memory, the Extism handles and WASI are the engine's business, so that one
// can live in another worker or process. All engines pass package enginetest.
type Engine interface {
	// Name is "wazero" or "browser".
	Name() string
	// Compile takes bytes that guard.Weave has returned, and its digest of the
	// original module, which names the compiled code in the engine's cache. It
	// may take seconds; it should end with ctx. The caller must Close the module.
	Compile(ctx context.Context, guarded []byte, digest string) (Compiled, error)
	// Close frees the engine and every module it compiled. Nothing breaks where a
	// compilation or a call is under way: it is Interrupted, or ends by itself.
	Close() error
}

// Compiled is a module that is ready to be instantiated. It may be used from
// several goroutines.
type Compiled interface {
	// Call runs one export in a fresh instance. A failure is a *fault.Fault
	// with a code of SPEC §15: ToolFuel, ToolMemory, ToolStack, ToolTrap,
	// ToolExit, ToolImport, ToolSize, Timeout, Interrupted, Grant, Network, or
	// Tool for what the module itself reports. The result tells the fuel used
	// and what was on stderr in every case.
	Call(ctx context.Context, in Invocation, host Host) (Result, error)
	// Keep makes an instance that keeps its memory between calls (stateful:
	// true). It is instantiated by its first call.
	Keep() Instance
	Close() error
}

// Instance is a kept instance. Its calls must not overlap; a call that fails
// discards it, and the next call starts afresh.
type Instance interface {
	Call(ctx context.Context, in Invocation, host Host) (Result, error)
	Close() error
}

// Form is how a module is called.
type Form string

// The forms of an invocation: an export with Extism input and output, or a
// WASI preview 1 command.
const (
	Extism  Form = "extism"
	Command Form = "command"
)

// Invocation is one call of an export.
type Invocation struct {
	Form   Form
	Export string            // of the Extism form; a command's is _start
	Input  []byte            // Extism input
	Args   []string          // argv of a command
	Stdin  []byte            // a command's whole standard input
	Config map[string]string // config_get
	Limits Limits
}

// Limits bound one call; a zero field means the default.
type Limits struct {
	Fuel   int64         // units of package guard; default DefaultFuel
	Output int64         // bytes of output, and of standard output; default DefaultOutput
	Time   time.Duration // of the module itself and of what it waits for; default none beside ctx
}

// What a call may use unless it says otherwise. Memory is not among the
// limits of a call: the guard clamps it to 64 MiB in the module.
const (
	DefaultFuel   int64 = 2_000_000_000_000
	DefaultOutput int64 = 1 << 20
	StderrLimit         = 64 << 10 // of stderr the end is kept
)

// Host is everything a module can reach. A nil field is not granted; a module
// that uses it gets a fault of its own (Grant), and nothing happens.
type Host struct {
	HTTP  func(ctx context.Context, r HTTPRequest) (HTTPResponse, error)
	Call  func(ctx context.Context, name string, args []byte) []byte // golem_call: the result, or {"error":…}
	Files sandbox.FS                                                 // the run's view, for WASI
	Log   func(level, text string)                                   // trace, debug, info, warn, error
	// Clock and Random are the host's; nil: a clock that stands a second after the epoch
	// and zeros.
	Clock  func() time.Time
	Random func([]byte) error
}

// HTTPRequest is what a module asks of http_request.
type HTTPRequest struct {
	URL    string            `json:"url"`
	Method string            `json:"method"`
	Header map[string]string `json:"headers"`
	Body   []byte            `json:"-"`
}

// HTTPResponse is what it gets; header names are in lower case.
type HTTPResponse struct {
	Status int
	Header map[string]string
	Body   []byte
}

// Result is what a call left behind.
type Result struct {
	Output []byte // of the export, or a command's standard output
	Stderr []byte // the end of it
	Exit   int    // of a command; or what an export returned
	Fuel   int64  // used, the start of the instance included
}
