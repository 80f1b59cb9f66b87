package guard

import (
	"errors"
	"fmt"

	"golem/core/fault"
)

// unfit is the error for a module that is not accepted, with a hint that says what helps.
type unfit struct {
	error
	hint string
}

// refuse does the same as fail, with a hint.
func (r *reader) refuse(hint, format string, args ...any) {
	if r.err == nil {
		r.err = unfit{fmt.Errorf(format+" (at byte %d)", append(args, r.pos)...), hint}
		r.pos = r.end
	}
}

// Hints for the most frequent rejections. The flags are those of wasm-ld
// (clang, rustc -C link-arg=), Emscripten and AssemblyScript, as of 2026.
const (
	ownMemory    = "build it with a memory of its own: without --import-memory (wasm-ld), -sIMPORTED_MEMORY (Emscripten), --importMemory (AssemblyScript)"
	ownItems     = "build it as one module: without --import-table, -shared and -fPIC (wasm-ld), -sMAIN_MODULE and -sSIDE_MODULE (Emscripten); golem loads one module by itself"
	lessMemory   = "let it start with less memory: --initial-memory=BYTES (wasm-ld), -sINITIAL_MEMORY=BYTES (Emscripten), --initialMemory PAGES (AssemblyScript), or less static data; its memory can grow to 64 MiB, or to what a worker gives it: toolsets.custom.modules.NAME.memory"
	noExtended   = "build it without extended constant expressions: -mno-extended-const (clang), no +extended-const among target features (rustc), no -fPIC"
	noExceptions = "build it without exceptions of WebAssembly: without -fwasm-exceptions (clang, Emscripten), with -C panic=abort (rustc)"
	noCollector  = "it needs the engine's garbage collection, as Kotlin, Dart, Java and wasm_of_ocaml do: write the tool in a language that brings its own memory (Go, Rust, C, AssemblyScript)"
	noThreads    = "build it without threads and shared memory: without -pthread, and with memory addresses of 32 bits"
	noRelaxed    = "build it without relaxed vector instructions: no -mrelaxed-simd (clang), no +relaxed-simd (rustc)"
	anyway       = "build it for WebAssembly 2.0 without exceptions, threads, garbage collection and 64-bit memory; if it is too large, split it"
)

// refused converts an error of the reader to a fault.
func refused(err error) error {
	var f *fault.Fault
	if errors.As(err, &f) {
		return f
	}
	hint := anyway
	var u unfit
	if errors.As(err, &u) {
		hint = u.hint
	}
	return fault.New(fault.ToolModule, "golem does not accept the module: %w", err).Hinting("%s", hint)
}

// badType refuses a value type.
func (r *reader) badType(t byte) {
	hint := anyway
	switch {
	case t == 0x69 || t == 0x74: // exnref and nullexnref
		hint = noExceptions
	case t >= 0x63 && t <= 0x75: // references of garbage collection
		hint = noCollector
	}
	r.refuse(hint, "value type %#x is not defined in WebAssembly 2.0", t)
}

// badInstruction refuses an instruction by its first byte.
func (r *reader) badInstruction(op byte) {
	hint := anyway
	switch op {
	case 0x06, 0x07, 0x08, 0x09, 0x0a, 0x18, 0x19, 0x1f:
		r.refuse(noExceptions, "instruction %#x (exceptions) is not allowed", op)
		return
	case 0x14, 0x15, 0xd3, 0xd4, 0xd5, 0xd6, 0xfb:
		hint = noCollector
	case 0xfe:
		hint = noThreads
	}
	r.refuse(hint, "instruction %#x is not defined in WebAssembly 2.0", op)
}
