package wasmtool

import "golem/core/wasmtool/guard"

// Signature is the type of a function, in the notation of package guard: "i32
// i64".
type Signature struct{ Params, Results string }

// plain reports whether the function has neither parameters nor results, like a function
// that initialises a module.
func (s Signature) plain() bool { return s.Params == "" && s.Results == "" }

// hsInit is the function that starts Haskell's runtime. It has two parameters,
// which are 0.
const hsInit = "hs_init"

// Starts returns the exports that must run before the first call of an
// instance, in order: the start section, then what the module's language needs.
// It decides as Extism's own runtime does: for Haskell _initialize and hs_init;
// otherwise __wasm_call_ctors if it is exported; otherwise _initialize. It leaves out
// the two that are not hs_init if they have parameters or results. A command needs only
// the start section.
func Starts(form Form, exported func(name string) (Signature, bool)) []string {
	var out []string
	if _, ok := exported(guard.StartExport); ok {
		out = append(out, guard.StartExport)
	}
	if form != Extism {
		return out
	}
	const reactor, ctors = "_initialize", "__wasm_call_ctors"
	init, hasInit := exported(reactor)
	if _, ok := exported(hsInit); ok {
		if hasInit && init.plain() {
			out = append(out, reactor)
		}
		return append(out, hsInit)
	}
	if s, ok := exported(ctors); ok {
		if s.plain() {
			out = append(out, ctors)
		}
		return out
	}
	if hasInit && init.plain() {
		out = append(out, reactor)
	}
	return out
}

// Starter reports whether an export of Starts can be called: Haskell's gets two
// zeros, all others get no arguments.
func Starter(name string, params int) bool {
	return params == 0 || name == hsInit && params <= 2
}
