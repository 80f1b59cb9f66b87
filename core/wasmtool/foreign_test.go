package wasmtool_test

import (
	"embed"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/tool"
	"golem/core/wasmtool"
)

//go:embed testdata/foreign/*.wasm
var foreigners embed.FS

func foreign(t *testing.T, name string) []byte {
	t.Helper()
	data, err := foreigners.ReadFile("testdata/foreign/" + name + ".wasm")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// For a module that was built for something else, inspection, description and a call of
// an export say so, and what to do.
func TestWhatModulesWereBuiltFor(t *testing.T) {
	const js = "and golem runs modules without JavaScript"
	for name, want := range map[string]struct {
		code fault.Code
		what []string // in the message or hint
	}{
		"bindgen":           {fault.ToolContract, []string{"is built for JavaScript (wasm-bindgen)", js, "Extism PDK for Rust"}},
		"bindgen_bundler":   {fault.ToolContract, []string{"is built for JavaScript (wasm-bindgen)"}},
		"gojs":              {fault.ToolContract, []string{"is built for JavaScript (gojs: GOOS=js", "GOOS=wasip1"}},
		"tinygo":            {fault.ToolContract, []string{"is built for JavaScript (gojs", "-target=wasip1"}},
		"emscripten":        {fault.ToolContract, []string{"is built for JavaScript (Emscripten)", "-sSTANDALONE_WASM"}},
		"emscripten_small":  {fault.ToolContract, []string{"is built for JavaScript (Emscripten)"}},
		"emscripten_memory": {fault.ToolModule, []string{"is built for JavaScript (Emscripten)", `it imports the memory "memory" of "env"`, "-sSTANDALONE_WASM"}},
		"kotlin":            {fault.ToolContract, []string{"is built for JavaScript (its imports are JavaScript files)"}},
		"preview0":          {fault.ToolContract, []string{"is built for WASI preview 0", "wasm32-wasip1"}},
		"inside":            {fault.ToolContract, []string{"is meant to become a component", "wasm32-wasip1"}},
		"memory":            {fault.ToolModule, []string{`it imports the memory "memory" of "env"`, "--import-memory"}},
		"table":             {fault.ToolModule, []string{`it imports the table`, "golem loads one module by itself"}},
		"big":               {fault.ToolModule, []string{"its memory has 2048 pages of 64 KiB; at most 1024 (64 MiB) are allowed", "--initial-memory=BYTES"}},
		"extended":          {fault.ToolModule, []string{"constant expression has more than one instruction", "-mno-extended-const"}},
		"exceptions":        {fault.ToolModule, []string{"exceptions", "panic=abort"}},
	} {
		m := library(t, &fakeEngine{}).Module(source("tools/a.wasm", foreign(t, name), ""))
		says := func(err error) {
			t.Helper()
			wants(t, err, want.code, want.what...)
			if strings.Contains(err.Error(), "register") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if name != "extended" { // only the weaver sees that, when the module is called or inspected
			_, err := m.Describe(t.Context(), wasmtool.Describing{})
			says(err)
		}
		if want.code == fault.ToolModule || name == "preview0" || name == "inside" { // an export of the others may work
			_, err := (&wasmtool.Bound{Module: m}).Export("run").Call(t.Context(), tool.Call{})
			says(err)
		}
		seen, err := m.Inspect(t.Context())
		if err == nil && seen.Refused == "" {
			t.Errorf("%s: inspected as %+v", name, seen)
		}
		for _, w := range want.what {
			if !strings.Contains(seen.Refused, w) && (err == nil || !strings.Contains(err.Error(), w)) {
				t.Errorf("%s: inspected as %q, %v; want %q", name, seen.Refused, err, w)
			}
		}
	}
}

// A plug-in or a command is not recognised as foreign, whatever else it imports.
func TestNotForeign(t *testing.T) {
	for _, name := range []string{"servlet", "hyper", "command", "exports"} {
		seen, err := library(t, &fakeEngine{}).Module(source("a.wasm", module(t, name), "")).Inspect(t.Context())
		if err != nil || seen.Built != "" || seen.Refused != "" && name != "exports" {
			t.Errorf("%s: %+v, %v", name, seen, err)
		}
	}
}

// Imported functions that golem does not provide are counted, and a few of them named.
func TestManyImports(t *testing.T) {
	seen, err := library(t, &fakeEngine{}).Module(source("a.wasm", foreign(t, "many"), "")).Inspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(seen.Imports) != 70 || len(seen.Needs) != 5 || !strings.Contains(seen.Needs[0], "it imports 12 functions of host0 that golem does not provide (function_0, function_6, function_12, function_18, and 8 more)") || !strings.Contains(seen.Needs[4], "from 2 more modules") {
		t.Errorf("%d imports; %q", len(seen.Imports), seen.Needs)
	}
}
