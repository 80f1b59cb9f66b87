// Package wasmtool is the room for custom tools: `.wasm` files in the three
// forms of SPEC §6, the guard that every module passes before an engine sees
// it, and the grants it runs under. This version has no engine and offers no
// custom tools; what stands here is the cut between golem and an engine, so
// that one can live in another process or worker (DESIGN, key types).
package wasmtool

import (
	"context"
	"time"

	"golem/core/sandbox"
	"golem/core/tool"
)

// Engine compiles guarded modules. Nothing of an engine's own API appears in
// it: memory and WASI plumbing are the engine's business.
type Engine interface {
	// Compile takes bytes that the guard has passed. The module may be called
	// concurrently; the caller must Close it.
	Compile(ctx context.Context, guarded []byte) (Module, error)
}

// Module is one compiled module.
type Module interface {
	Call(ctx context.Context, in Invocation, host Host) (Result, error)
	Close() error
}

// Form is how a module is called, by its exports (SPEC §6).
type Form string

// The forms: Extism exports, or a WASI preview 1 command.
const (
	Extism  Form = "extism"
	Command Form = "command"
)

// Invocation is one call of an export.
type Invocation struct {
	Form   Form
	Export string
	Input  []byte   // Extism input
	Args   []string // argv of a command
	Stdin  []byte   // a command's whole standard input
	Limits Limits
}

// Limits bound one call; zero fields bound nothing.
type Limits struct {
	Memory int64 // bytes
	Fuel   int64
	Output int64 // bytes of output and standard output together
	Time   time.Duration
}

// Host is everything a module can reach. A nil field is not granted.
type Host struct {
	HTTP   func(ctx context.Context, method, url string, header map[string]string, body []byte) (status int, response []byte, err error)
	Call   tool.Host  // golem_call
	Files  sandbox.FS // the run's view, for WASI
	Log    func(level, text string)
	Clock  func() time.Time
	Random func([]byte) error
	Tick   func(left int64) (granted int64, err error) // fuel: checks deadline and cancellation
}

// Result is what a call left behind.
type Result struct {
	Output []byte
	Stderr []byte
	Exit   int
	Fuel   int64 // used
}
