//go:build !js

package jstool_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"golem/core/wasmtool"
	"golem/core/wasmtool/guard"
	"golem/core/wasmtool/wazeroengine"
)

// deepJSON are functions that read or write JSON of n levels, each in another way.
const deepJSON = `
const list = (n) => { let a = []; for (let i = 1; i < n; i++) a = [a]; return a }
const object = (n) => { let a = {}; for (let i = 1; i < n; i++) a = {a}; return a }
const lists = (n) => '['.repeat(n) + ']'.repeat(n)
const below = (k, f) => k ? below(k - 1, f) + 1 : f()
const all = {
  read: (n) => JSON.parse(lists(n)),
  readObjects: (n) => JSON.parse('{"a":'.repeat(n) + '1' + '}'.repeat(n)),
  revive: (n) => JSON.parse(lists(n), (k, v) => v),
  write: (n) => JSON.stringify(list(n)),
  writeObjects: (n) => JSON.stringify(object(n)),
  indent: (n) => JSON.stringify(list(n), null, 1),
  replacer: (n) => JSON.stringify(object(n), (k, v) => v),
  again: (n) => JSON.stringify({toJSON() { return JSON.stringify(list(n)) }}),
  recursion: (n) => below(100, () => JSON.stringify(JSON.parse(lists(n))).length),
  asked: (n) => golem.config(JSON.stringify(list(n))),
}
export const tools = [...Object.keys(all), 'returned'].map((name) => ({name, inputSchema: {type: 'object'}}))
export default {returned: ({n}) => list(n), ...Object.fromEntries(Object.entries(all).map(([name, f]) => [name, ({n}) => { f(n); return n }]))}
`

// JSON that is nested too deep ends with an exception of JavaScript before the guard ends the call:
// so its error names the line. A thousand levels are possible, and some hundreds below functions
// that call themselves.
func TestDeepJSONNamesTheLine(t *testing.T) {
	l := library(t)
	module, err := link(t, l, map[string]string{"t.js": deepJSON}, "t.js")
	if err != nil {
		t.Fatal(err)
	}
	guarded, err := guard.Weave(module)
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^  (\w+): `).FindAllStringSubmatch(deepJSON, -1)
	if len(names) != 10 {
		t.Fatalf("%d ways", len(names))
	}
	for _, o := range []wazeroengine.Options{{}, {Interpreter: true}} {
		e, err := wazeroengine.New(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		code, err := e.Compile(t.Context(), guarded, "t")
		if err != nil {
			t.Fatal(err)
		}
		call := func(name string, n int) error {
			in := fmt.Appendf(nil, `{"params":{"name":%q,"arguments":{"n":%d}}}`, name, n)
			_, err := code.Call(t.Context(), wasmtool.Invocation{Form: wasmtool.Extism, Export: "call", Input: in}, wasmtool.Host{})
			return err
		}
		for _, m := range names {
			name, few := m[1], 1000
			if name == "recursion" {
				few = 300
			}
			if err := call(name, few); err != nil {
				t.Errorf("%s, %d levels: %.200v", name, few, err)
			}
			if err := call(name, 5000); err == nil || !strings.Contains(err.Error(), "E_TOOL: RangeError: the data is nested too deep for JSON\n") || !strings.Contains(err.Error(), "(t.js:") {
				t.Errorf("%s, 5000 levels: %.200v", name, err)
			}
		}
		if err := call("returned", 512); err != nil {
			t.Errorf("a result of 512 levels: %.200v", err)
		}
		if err := call("returned", 5000); err == nil || !strings.Contains(err.Error(), "RangeError: returned returned data that is nested too deep") {
			t.Errorf("a result of 5000 levels: %.200v", err)
		}
	}
}
