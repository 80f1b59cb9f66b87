//go:build !js

package web_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golem/core/wasmtool"
	"golem/web/webtest"
)

// trapped has modules of enginetest without imports, and golem's words for how each ends
// (core/wasmtool/trap.go). "" means that the engine's stack is used up, which tool/worker.js
// recognizes with a regular expression.
var trapped = map[string]string{
	"unreachable":      "unreachable",
	"start_trap":       "unreachable",
	"outside":          "invalid memory or table access",
	"outside_last":     "invalid memory or table access",
	"data_outside":     "invalid memory or table access",
	"data_dropped":     "invalid memory or table access",
	"bulk_outside":     "invalid memory or table access",
	"table_init":       "invalid memory or table access",
	"table_outside":    "invalid memory or table access",
	"indirect_outside": "invalid memory or table access",
	"indirect_null":    "invalid memory or table access",
	"indirect_type":    "indirect call type mismatch",
	"divide":           "integer divide by zero",
	"overflow":         "integer overflow",
	"overflow_divide":  "integer overflow",
	"overflow_long":    "integer overflow",
	"recursion":        "",
}

// traps runs modules that trap on a browser's own engine, without golem, and compares what
// golem makes from the engine's messages.
func (s side) traps(t *testing.T) {
	t.Helper()
	worker, err := os.ReadFile(filepath.Join("tool", "worker.js"))
	if err != nil {
		t.Fatal(err)
	}
	deep := regexp.MustCompile(`/([^/]+)/i\.test\(e\.message\)`).FindSubmatch(worker)
	if deep == nil {
		t.Fatal("tool/worker.js does not look for a stack that is used up")
	}
	modules := map[string][]byte{}
	for name := range trapped {
		if modules[name], err = os.ReadFile(filepath.Join("..", "core", "wasmtool", "enginetest", "testdata", name+".wasm")); err != nil {
			t.Fatal(err)
		}
	}
	data, err := json.Marshal(modules)
	if err != nil {
		t.Fatal(err)
	}
	said := webtest.Eval[map[string]string](s.page, `Object.fromEntries(Object.entries(`+string(data)+`).map(([name, code]) => {
		const module = new WebAssembly.Module(Uint8Array.from(atob(code), (c) => c.charCodeAt(0)))
		try { return [name, 'no trap: ' + new WebAssembly.Instance(module).exports.run()] } catch (e) { return [name, e instanceof WebAssembly.RuntimeError || name === 'recursion' ? e.message : String(e)] }
	}))`)
	for name, want := range trapped {
		if want == "" {
			if !regexp.MustCompile("(?i)" + string(deep[1])).MatchString(said[name]) {
				t.Errorf("%s says %q of %s, which tool/worker.js does not take for a stack that is used up", s.engine, said[name], name)
			}
			continue
		}
		if _, err := wasmtool.Judge(wasmtool.Extism, wasmtool.Ending{Trap: said[name]}); err == nil || !strings.HasSuffix(err.Error(), "the module trapped: "+want) {
			t.Errorf("%s says %q of %s, of which golem makes %v", s.engine, said[name], name, err)
		}
	}
}
