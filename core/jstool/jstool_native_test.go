//go:build !js

package jstool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"golem/core/fault"
	"golem/core/jstool/embedded"
	"golem/core/wasmtool"
	"golem/core/wasmtool/wazeroengine"
)

func library(t testing.TB) *wasmtool.Library {
	t.Helper()
	l := &wasmtool.Library{Open: func(ctx context.Context) (wasmtool.Engine, error) {
		return wazeroengine.New(ctx, wazeroengine.Options{})
	}}
	t.Cleanup(func() { l.Close() })
	return l
}

func link(t testing.TB, l *wasmtool.Library, files map[string]string, entry string) ([]byte, error) {
	t.Helper()
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return embedded.Engine().Link(t.Context(), l.Ungranted, "tools/"+entry, tree)
}

func TestFunctionsWithTypesAreTools(t *testing.T) {
	l := library(t)
	module, err := link(t, l, map[string]string{
		"add.ts": "import {one, type N} from './lib'\n/** Adds. */\nexport const add = async (a: N, b: number = one): Promise<number> => a + b\n",
		"lib.ts": "export type N = number\nexport const one: N = 1\n",
	}, "add.ts")
	if err != nil {
		t.Fatal(err)
	}
	out, err := l.Ungranted(t.Context(), module, "call", []byte(`{"params":{"name":"add","arguments":{"a":41}}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(out); got != `{"content":[],"structuredContent":42}` {
		t.Errorf("add(41) is %s", got)
	}
	again, err := link(t, l, map[string]string{
		"lib.ts": "export type N = number\nexport const one: N = 1\n",
		"add.ts": "import {one, type N} from './lib'\n/** Adds. */\nexport const add = async (a: N, b: number = one): Promise<number> => a + b\n",
	}, "add.ts")
	if err != nil || string(again) != string(module) {
		t.Errorf("the same sources gave another module (%v)", err)
	}
	var call struct{ Tools []map[string]any }
	if out, err = l.Ungranted(t.Context(), module, "describe", nil, nil); err != nil || json.Unmarshal(out, &call) != nil || len(call.Tools) != 1 || call.Tools[0]["description"] != "Adds." {
		t.Errorf("describe returns %s, %v", out, err)
	}
}

func TestSourcesThatCannotBeTools(t *testing.T) {
	l := library(t)
	for _, c := range []struct{ name, text, where, message string }{
		{"a.js", "export function f( {", "tools/a.js:1:21", "cannot be parsed"},
		{"a.js", "export const f = (x: number) => x", "tools/a.js:1:20", "types need a file that ends in .ts"},
		{"a.ts", "enum X { a }", "tools/a.ts:1:1", "an enum"},
		{"a.ts", "\n export const f = (x: Date) => x", "tools/a.ts:2:23", "Date is not declared"},
		{"a.js", "import fs from 'fs'\nexport const tools = []", "tools/a.js:1:16", "only files below its own folder"},
		{"a.js", "import x from '../x.js'", "tools/a.js:1:15", "leads out of the tool folder"},
		{"a.js", "import x from './x.js'", "tools/a.js:1:15", "there is no such file"},
		{"a.js", "export function f(x) {}", "tools/a.js", "exports no tools"},
		{"a.js", "export const tools = [1]; throw new TypeError('at load')", "tools/a.js:1:36", "TypeError: at load"},
		{"a.js", "/** x\n * @param {string} a */\nexport function f(a, b) {}", "tools/a.js:3:22", "the parameter b of f has no type"},
	} {
		_, err := link(t, l, map[string]string{c.name: c.text}, c.name)
		var f *fault.Fault
		if !errors.As(err, &f) || !strings.Contains(err.Error(), c.where) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%q: %v; want %q at %s", c.text, err, c.message, c.where)
		}
	}
}

// What a function returns becomes the result of the call in the form of MCP.
func TestResults(t *testing.T) {
	l := library(t)
	const source = `
export const tools = ['text', 'nothing', 'list', 'no', 'content', 'bigint', 'later', 'error', 'never', 'stack', 'utf8', 'chance', 'clock'].map((name) => ({name, inputSchema: {type: 'object'}}))
export const text = () => 'plain'
export const nothing = () => {}
export const list = async () => [1, null, {a: 'b'}]
export const no = () => false
export const content = () => ({content: [{type: 'text', text: 'as it is'}]})
export const bigint = () => 1n
export const later = () => Promise.resolve().then(() => ({ok: true}))
export const error = () => { throw new RangeError('out of it') }
export const never = () => new Promise(() => {})
export function stack() { inner() }
function inner() { null.x }
export const chance = () => { const a = [Math.random(), Math.random(), Math.random()]; return new Set(a).size === 3 && a.every((x) => x >= 0 && x < 1) }
export const clock = () => performance.now() < 1000 && Date.now() === 1000
export const utf8 = ({s}) => s + '\u{1F600}'
`
	module, err := link(t, l, map[string]string{"t.js": source}, "t.js")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"text": `{"content":[{"type":"text","text":"plain"}]}`, "nothing": `{"content":[]}`, "list": `{"content":[],"structuredContent":[1,null,{"a":"b"}]}`,
		"no": `{"content":[],"structuredContent":false}`, "content": `{"content":[{"type":"text","text":"as it is"}]}`, "bigint": "E_TOOL: TypeError: ",
		"later": `{"content":[],"structuredContent":{"ok":true}}`, "error": "E_TOOL: RangeError: out of it\n", "never": "waits for a promise that nothing settles",
		"stack": "inner (t.js:13:20)", "utf8": "é😀", "chance": `"structuredContent":true`, "clock": `"structuredContent":true`, "absent": "exports no function absent",
	} {
		out, err := l.Ungranted(t.Context(), module, "call", []byte(`{"params":{"name":"`+name+`","arguments":{"s":"é"}}}`), nil)
		got := string(out)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s; want %s", name, got, want)
		}
	}
}

// A hostile source ends in a coded fault, and the next call finds a fresh engine; x-js-hostile has
// more of them.
func TestHostileSources(t *testing.T) {
	l := library(t)
	const source = `
export const tools = ['spoil', 'clean', 'deep', 'reach', 'json', 'grow'].map((name) => ({name, inputSchema: {type: 'object'}}))
export const spoil = () => { Object.prototype.toJSON = () => 'spoiled'; Array.prototype.map = null; JSON.stringify = () => '{}'; globalThis.golem = null; return {a: 1} }
export const clean = () => ({polluted: 'toJSON' in {}, own: typeof golem})
export const deep = () => { const f = () => f() + 1; return f() }
export const reach = () => [typeof require, typeof process, typeof fetch, typeof setTimeout, typeof std, typeof os, typeof WebAssembly]
export const json = () => { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a }
export const grow = () => { const a = []; for (;;) a.push(new Uint8Array(1 << 20)) }
`
	module, err := link(t, l, map[string]string{"t.js": source}, "t.js")
	if err != nil {
		t.Fatal(err)
	}
	call := func(name string) string {
		out, err := l.Ungranted(t.Context(), module, "call", []byte(`{"params":{"name":"`+name+`","arguments":{}}}`), nil)
		if err != nil {
			return fault.Of(err, fault.Tool).Error()
		}
		return string(out)
	}
	for _, c := range [][2]string{
		{"spoil", ""}, {"clean", `{"polluted":false,"own":"object"}`}, {"deep", "RangeError: Maximum call stack size exceeded\n    at f (t.js:5:"},
		{"reach", `["undefined","undefined","undefined","undefined","undefined","undefined","undefined"]`}, {"json", "E_TOOL"}, {"grow", "out of memory"}, {"clean", `{"polluted":false,"own":"object"}`},
	} {
		if got := call(c[0]); !strings.Contains(got, c[1]) {
			t.Errorf("%s: %.300s; want %s", c[0], got, c[1])
		} else {
			t.Logf("%s: %.200s", c[0], got)
		}
	}
}

// A source of a thousand lines is linked. It once used up the linker's fuel, of which a line needs
// 28 million units.
func TestSourceOfAThousandLines(t *testing.T) {
	var text strings.Builder
	text.WriteString("/** Adds. @returns {number} */\nexport const last = () => a999.b(1)\n")
	for i := range 1000 {
		fmt.Fprintf(&text, "const a%d = {a: %d, b: (c) => c + %d}\n", i, i, i)
	}
	l := library(t)
	module, err := link(t, l, map[string]string{"t.js": text.String()}, "t.js")
	if err != nil {
		t.Fatal(err)
	}
	out, err := l.Ungranted(t.Context(), module, "call", []byte(`{"params":{"name":"last","arguments":{}}}`), nil)
	if err != nil || string(out) != `{"content":[],"structuredContent":1000}` {
		t.Errorf("the last function returned %s, %v", out, err)
	}
}

// A source ends at the limits of a call when it is loaded, too, and its sources at their size.
func TestSourcesAtTheirLimits(t *testing.T) {
	l := library(t)
	const loads = "import './lib.js'; export const tools = [{name: 'x'}]"
	large := "// " + strings.Repeat("x", 10<<20)
	for _, c := range []struct {
		name, entry, lib string
		code             fault.Code
		where            string
	}{
		{"10 MB", large, "", fault.ToolModule, "tools/t.js: "},
		{"10 MB imported", loads, large, fault.ToolModule, "tools/lib.js: "},
		{"brackets", "export const tools = " + strings.Repeat("[", 100_000), "", fault.ToolStack, "tools/t.js: "},
		{"a loop", loads, "for (;;);", fault.ToolFuel, "used up its computing budget"},
		{"a recursion", loads, "const f = () => f() + 1; f()", fault.Tool, "tools/lib.js:1:"},
		{"a promise", loads, "await new Promise(() => {})", fault.Tool, "waits for a promise that nothing settles"},
		{"memory", loads, "const a = []; for (;;) a.push(new Uint8Array(1 << 20))", fault.Tool, "tools/lib.js:1:"},
		{"files", loads, "golem.files.read('a')", fault.Grant, "not granted files"},
	} {
		_, err := link(t, l, map[string]string{"t.js": c.entry, "lib.js": c.lib}, "t.js")
		f := fault.Of(err, "")
		if err == nil || f.Code == "" || c.code != "" && f.Code != c.code || !strings.Contains(err.Error(), c.where) {
			t.Errorf("%s: %v; want %s and %q", c.name, err, c.code, c.where)
		}
		t.Logf("%s: %.300v", c.name, err)
	}
}
