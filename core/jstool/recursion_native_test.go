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

// recursions are functions that call themselves n times, each in another way.
const recursions = `
const all = {
  plain: (n) => n === 0 ? 0 : 1 + all.plain(n - 1),
  locals: (n) => { const a = n, b = n, c = n, d = n, e = n, f = n, g = n, h = n; return n === 0 ? 0 : a + b + c + d + e + f + g + h + all.locals(n - 1) },
  map: (n) => n === 0 ? 0 : [n].map((x) => all.map(x - 1))[0],
  reduce: (n) => n === 0 ? 0 : [n].reduce((a, x) => all.reduce(x - 1), 0),
  from: (n) => n === 0 ? 0 : Array.from([n], (x) => all.from(x - 1))[0],
  sort: (n) => n === 0 ? 0 : [1, 2].sort(() => all.sort(n - 1)).length,
  getter: (n) => n === 0 ? 0 : {get x() { return all.getter(n - 1) }}.x,
  proxy: (n) => n === 0 ? 0 : new Proxy({}, {get: () => all.proxy(n - 1)}).x,
  coerce: (n) => n === 0 ? 0 : +{valueOf: () => all.coerce(n - 1)},
  stringify: (n) => n === 0 ? 0 : JSON.stringify({toJSON() { all.stringify(n - 1); return 0 }}),
  parse: (n) => n === 0 ? 0 : JSON.parse('[1]', (k, v) => k === '0' ? all.parse(n - 1) : v)[0],
  replace: (n) => n === 0 ? 0 : 'a'.replace(/a/, () => { all.replace(n - 1); return '' }),
  make: (n) => n === 0 ? 0 : new (class { constructor() { all.make(n - 1) } })() && 0,
  apply: (n) => n === 0 ? 0 : all.apply.apply(null, [n - 1]),
  bound: (n) => n === 0 ? 0 : all.bound.bind(null, n - 1)(),
  spread: (n) => n === 0 ? 0 : all.spread(...[n - 1]),
  generator: (n) => { const g = function* (n) { if (n > 0) yield* g(n - 1) }; return [...g(n)].length },
  iterator: (n) => { if (n > 0) for (const x of {* [Symbol.iterator]() { yield all.iterator(n - 1) }}) return x },
  later: async (n) => n === 0 ? 0 : await all.later(n - 1),
  caught: (n) => { try { return n === 0 ? 0 : all.caught(n - 1) } finally { n++ } },
}
export const tools = Object.keys(all).map((name) => ({name, inputSchema: {type: 'object'}}))
export default Object.fromEntries(Object.entries(all).map(([name, f]) => [name, async ({n}) => { await f(n); return n }]))
`

// A recursion that is too deep ends with an exception of JavaScript, in whatever way functions
// call themselves, before the guard ends it: so its error names the line. Of each way more than
// twenty calls are possible.
func TestRecursions(t *testing.T) {
	l := library(t)
	module, err := link(t, l, map[string]string{"t.js": recursions}, "t.js")
	if err != nil {
		t.Fatal(err)
	}
	guarded, err := guard.Weave(module)
	if err != nil {
		t.Fatal(err)
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
		recurse(t, code)
	}
}

// recurse calls each of recursions, not deep and then too deep.
func recurse(t *testing.T, code wasmtool.Compiled) {
	t.Helper()
	call := func(name string, n int) error {
		in := fmt.Appendf(nil, `{"params":{"name":%q,"arguments":{"n":%d}}}`, name, n)
		_, err := code.Call(t.Context(), wasmtool.Invocation{Form: wasmtool.Extism, Export: "call", Input: in}, wasmtool.Host{})
		return err
	}
	names := regexp.MustCompile(`(?m)^  (\w+): `).FindAllStringSubmatch(recursions, -1)
	if len(names) < 20 {
		t.Fatalf("only %d ways", len(names))
	}
	for _, m := range names {
		name := m[1]
		if err := call(name, 20); err != nil {
			t.Errorf("%s, 20 calls: %.200v", name, err)
		}
		if err := call(name, 10_000); err == nil || !strings.Contains(err.Error(), "E_TOOL: RangeError: Maximum call stack size exceeded\n") || !strings.Contains(err.Error(), "(t.js:") {
			t.Errorf("%s, 10000 calls: %.200v", name, err)
		}
	}
}
