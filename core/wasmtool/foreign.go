package wasmtool

import (
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/wasmtool/guard"
)

// foreign describes a module that was built for something other than golem.
// People meet such modules more often than damaged files, and a list of imports
// would not tell them what to do.
type foreign struct {
	what string // "built for JavaScript (wasm-bindgen), and golem runs modules without JavaScript"
	hint string
	// always means that none of the module's exports can be called.
	always bool
}

// kinds lists what a module can be built for, in the order in which it is tried.
var kinds = []struct {
	is func(o guard.Outline) bool
	foreign
}{
	{func(o guard.Outline) bool { return imports(o, moduleIs("wasi_unstable")) }, foreign{
		"built for WASI preview 0 (wasi_unstable), which came before preview 1 and has other functions",
		"build it again for preview 1: --target=wasm32-wasip1 or wasm32-wasi, with a compiler of 2020 or later", true,
	}},
	{func(o guard.Outline) bool { return imports(o, moduleBegins("wasi:", "cm32p2|", "[export]")) }, foreign{
		"a core module that is meant to become a component (WASI preview 2), and golem runs only modules without such imports",
		"build it for wasm32-wasip1, or with an Extism PDK", true,
	}},
	{wasmBindgen, javascript("wasm-bindgen", "build it for wasm32-wasip1 without wasm-bindgen, as a command, or with the Extism PDK for Rust; remove crates that need JavaScript (js-sys, web-sys, getrandom's js)")},
	{gojs, javascript("gojs: GOOS=js, or TinyGo's target wasm", "build it with GOOS=wasip1 GOARCH=wasm, TinyGo with -target=wasip1; golem tool new --lang go writes a first tool")},
	{emscripten, javascript("Emscripten", "build it with -sSTANDALONE_WASM -sPURE_WASI, or with clang --target=wasm32-wasip1 (wasi-sdk); golem tool new --lang c writes a first tool")},
	{func(o guard.Outline) bool { return imports(o, fromScript) }, javascript("its imports are JavaScript files", "build it for wasm32-wasip1, or with an Extism PDK")},
}

func javascript(by, hint string) foreign {
	return foreign{"built for JavaScript (" + by + "), and golem runs modules without JavaScript", hint, false}
}

// foreignTo recognises a module that was built for something else, or returns nil. It
// returns nil for an Extism plug-in or a command, whatever else this imports, except
// for the kinds that can never work (always).
func foreignTo(o guard.Outline) *foreign {
	ours := imports(o, moduleIs(ExtismEnv)) || slices.ContainsFunc(o.Exports, func(i guard.Item) bool { return i.Name == "_start" })
	for _, k := range kinds {
		if (k.always || !ours) && k.is(o) {
			return &k.foreign
		}
	}
	return nil
}

// imports reports whether the module has an import of this kind.
func imports(o guard.Outline, is func(guard.Item) bool) bool {
	return slices.ContainsFunc(o.Imports, is)
}

func moduleIs(names ...string) func(guard.Item) bool {
	return func(i guard.Item) bool { return slices.Contains(names, i.Module) }
}

func moduleBegins(prefixes ...string) func(guard.Item) bool {
	return func(i guard.Item) bool { return begins(i.Module, prefixes...) }
}

func begins(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// wasmBindgen recognises what rustc builds for the web, before and after the
// program wasm-bindgen has processed it.
func wasmBindgen(o guard.Outline) bool {
	return imports(o, func(i guard.Item) bool {
		return begins(i.Module, "__wbindgen_", "wbg") || begins(i.Name, "__wbindgen_", "__wbg_") || strings.HasSuffix(i.Module, "_bg.js")
	}) || slices.ContainsFunc(o.Exports, func(i guard.Item) bool { return begins(i.Name, "__wbindgen_", "__wbg_") })
}

// gojs recognises Go's port to JavaScript. Up to Go 1.20 its module was called
// go; TinyGo calls it env.
func gojs(o guard.Outline) bool {
	return imports(o, func(i guard.Item) bool {
		return i.Module == "gojs" || slices.Contains([]string{"go", "env"}, i.Module) && begins(i.Name, "runtime.", "syscall/js.")
	})
}

// emscripten recognises Emscripten by the functions of its runtime or, in
// optimised modules, by imports and exports of one or two letters.
func emscripten(o guard.Outline) bool {
	if imports(o, func(i guard.Item) bool {
		return i.Module == "env" && begins(i.Name, "emscripten_", "_emscripten_", "invoke_", "__cxa_", "__syscall_", "_embind_", "_emval_", "_abort_js", "_tzset_js", "_mmap_js") ||
			i.Module == "asm2wasm" || i.Module == "GOT.mem" || i.Module == "GOT.func"
	}) {
		return true
	}
	short := func(i guard.Item) bool { return len(i.Name) <= 2 && (i.Module == "a" || i.Module == "") }
	all := func(items []guard.Item) bool {
		return len(items) > 0 && !slices.ContainsFunc(items, func(i guard.Item) bool { return !short(i) })
	}
	return all(o.Imports) && all(o.Exports)
}

// fromScript recognises the import of a JavaScript file, as bundlers and Kotlin
// write it.
func fromScript(i guard.Item) bool {
	return i.Module == "js_code" || slices.Contains([]string{".js", ".mjs", ".cjs", ".ts"}, path.Ext(i.Module))
}

// explained adds what the module is to the guard's error, because that helps
// more than the first thing that the guard rejects.
func (f *foreign) explained(err error) error {
	if f == nil {
		return err
	}
	out := *fault.Of(err, fault.ToolModule)
	reason := out.Message
	if cause := out.Unwrap(); cause != nil {
		reason = cause.Error()
	}
	out.Message = "it is " + f.what + ": " + reason
	return out.Hinting("%s", f.hint)
}

// fault returns the error for a module whose functions golem cannot call.
func (f *foreign) fault(path string) *fault.Fault {
	return fault.New(fault.ToolContract, "%s is %s", path, f.what).Hinting("%s", f.hint).At(path, 0, 0)
}
