package wasmtool

import "golem/core/wasmtool/guard"

// Signature is a function's type as package guard writes it: "i32 i64".
type Signature struct{ Params, Results string }

// plain takes and returns nothing, as what initialises a module does.
func (s Signature) plain() bool { return s.Params == "" && s.Results == "" }

// Haskell's start: it is called with zeros for its two parameters.
const hsInit = "hs_init"

// Starts names the exports that run before the first call of an instance, in
// their order: the start section, then what the module's language needs. That
// is decided as Extism's own runtime decides it: Haskell's _initialize and
// hs_init; else __wasm_call_ctors; else _initialize, each if it takes and
// returns nothing. A command has none but the start section.
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

// Starter tells whether an export of Starts can be called: golem has two zeros
// for Haskell's, and nothing for any other.
func Starter(name string, params int) bool {
	return params == 0 || name == hsInit && params <= 2
}
