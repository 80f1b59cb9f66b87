//go:build !js

package jstool_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"golem/core/wasmtool"
	"golem/core/wasmtool/guard"
	"golem/core/wasmtool/wazeroengine"
)

// BenchmarkCall measures a call of a small JavaScript tool, each in a fresh instance: wall and
// CPU time, and fuel.
func BenchmarkCall(b *testing.B) {
	l := library(b)
	module, err := link(b, l, map[string]string{"t.js": "/** Adds.\n * @param {number} a\n * @param {number} b */\nexport function add(a, b) { return a + b }\n"}, "t.js")
	if err != nil {
		b.Fatal(err)
	}
	guarded, err := guard.Weave(module)
	if err != nil {
		b.Fatal(err)
	}
	e, err := wazeroengine.New(b.Context(), wazeroengine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	code, err := e.Compile(b.Context(), guarded, "add")
	if err != nil {
		b.Fatal(err)
	}
	in := wasmtool.Invocation{Form: wasmtool.Extism, Export: "call", Input: []byte(`{"params":{"name":"add","arguments":{"a":41,"b":1}}}`)}
	var fuel int64
	before := spent(b)
	for b.Loop() {
		res, err := code.Call(b.Context(), in, wasmtool.Host{})
		if err != nil {
			b.Fatal(err)
		}
		fuel = res.Fuel
	}
	b.ReportMetric(float64(spent(b)-before)/float64(b.N)/1e6, "cpu-ms/op")
	b.ReportMetric(float64(fuel), "fuel/op")
}

// BenchmarkLink measures linking a source of 50 files that import one another in a row.
func BenchmarkLink(b *testing.B) {
	l := library(b)
	files := map[string]string{}
	for n := range 50 {
		next := fmt.Sprintf("import {f as g} from './m%d.js'\nexport const f = (n) => g(n) + 1\n", n+1)
		if n == 49 {
			next = "export const f = (n) => n\n"
		}
		for i := range 20 {
			next += fmt.Sprintf("const a%d = {a: %d, b: (c) => c + %d}\n", i, i, i)
		}
		files[fmt.Sprintf("m%d.js", n)] = next
	}
	files["t.js"] = "import {f} from './m0.js'\n/** Adds.\n * @param {number} n */\nexport const add = (n) => f(n)\n"
	before := spent(b)
	for b.Loop() {
		if _, err := link(b, l, files, "t.js"); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(spent(b)-before)/float64(b.N)/1e6, "cpu-ms/op")
}

func spent(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
