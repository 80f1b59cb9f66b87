package wasmtool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"golem/core/fault"
	"golem/core/wasmtool"
)

const (
	inSection = `{"tools":[{"name":"from_section"}]}`
	inSidecar = "tools:\n  - name: from_sidecar\n"
	whenRun   = `{"tools":[{"name":"from_run"}]}`
)

// SPEC §6: the description comes from the custom section, otherwise from the sidecar,
// otherwise from a run. If it is in one of the first two, the module is not run.
func TestWhereTheDescriptionStands(t *testing.T) {
	plain := module(t, "servlet")
	for _, c := range []struct {
		name, sidecar, want string
		data                []byte
		runs                int
	}{
		{"both", inSidecar, "from_section", packed(t, plain, inSection), 0},
		{"section", "", "from_section", packed(t, plain, inSection), 0},
		{"sidecar", inSidecar, "from_sidecar", plain, 0},
		{"neither", "", "from_run", plain, 1},
	} {
		e := says(whenRun)
		m := library(t, e).Module(source("tools/a.wasm", c.data, c.sidecar))
		for range 2 {
			ds, err := m.Describe(t.Context(), wasmtool.Describing{Run: true})
			if err != nil || len(ds) != 1 || ds[0].Name != c.want {
				t.Errorf("%s: %+v, %v; want %s", c.name, ds, err, c.want)
			}
		}
		if _, n := e.counts(); n != c.runs {
			t.Errorf("%s: run %d times, want %d", c.name, n, c.runs)
		}
	}
}

// `golem check` runs nothing: a module that only a run can describe is undescribed until
// its description is in the cache.
func TestUndescribed(t *testing.T) {
	c := &memoryCache{}
	e := says(whenRun)
	l := library(t, e)
	l.Cache = c
	m := l.Module(source("tools/a.wasm", module(t, "servlet"), ""))
	if _, err := m.Describe(t.Context(), wasmtool.Describing{}); !errors.Is(err, wasmtool.ErrUndescribed) {
		t.Fatalf("%v, want ErrUndescribed", err)
	}
	if n, _ := e.counts(); n != 0 {
		t.Error("the engine was given the module")
	}
	if _, err := m.Describe(t.Context(), wasmtool.Describing{Run: true}); err != nil {
		t.Fatal(err)
	}
	next := says("never asked")
	l2 := library(t, next)
	l2.Cache = c
	ds, err := l2.Module(source("other.wasm", module(t, "servlet"), "")).Describe(t.Context(), wasmtool.Describing{})
	if err != nil || ds[0].Name != "from_run" {
		t.Errorf("%v, %v: the description was not kept by digest", ds, err)
	}
	for key, v := range c.all() {
		c.m[key] = bytes.ReplaceAll(v, []byte("from_run"), []byte("from_foe"))
	}
	l3 := library(t, says(whenRun))
	l3.Cache = c
	if _, err := l3.Module(source("other.wasm", module(t, "servlet"), "")).Describe(t.Context(), wasmtool.Describing{}); !errors.Is(err, wasmtool.ErrUndescribed) {
		t.Errorf("a changed entry was believed: %v", err)
	}
}

// A module that is run for its description is granted nothing: no files, network,
// configuration or callbacks, and little fuel and time. Each form has a call of its own
// for this.
func TestDescribeHasNoGrants(t *testing.T) {
	for name, want := range map[string]wasmtool.Invocation{
		"servlet": {Form: wasmtool.Extism, Export: "describe"},
		"hyper":   {Form: wasmtool.Extism, Export: "list_tools", Input: []byte(`{"context":{"_meta":{},"id":"describe"},"request":{}}`)},
		"command": {Form: wasmtool.Command, Args: []string{"a.wasm", "describe"}},
	} {
		var got wasmtool.Invocation
		e := &fakeEngine{call: func(ctx context.Context, in wasmtool.Invocation, h wasmtool.Host) (wasmtool.Result, error) {
			got = in
			if h.Files != nil || h.HTTP != nil || h.Call != nil || h.Log != nil || in.Config != nil || in.Stdin != nil {
				t.Errorf("%s: it was given %+v, %+v", name, in, h)
			}
			return wasmtool.Result{Output: []byte(whenRun)}, nil
		}}
		if _, err := library(t, e).Module(source("tools/a.wasm", module(t, name), "")).Describe(t.Context(), wasmtool.Describing{Run: true}); err != nil {
			t.Fatal(err)
		}
		if got.Limits.Time <= 0 || got.Limits.Time > 10*time.Second || got.Limits.Fuel <= 0 || got.Limits.Fuel >= wasmtool.DefaultFuel {
			t.Errorf("%s: limits %+v", name, got.Limits)
		}
		got.Limits = wasmtool.Limits{}
		if a, b := mustJSON(t, got), mustJSON(t, want); a != b {
			t.Errorf("%s: %s, want %s", name, a, b)
		}
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// If the run for a description fails or returns nonsense, the fault says what to do. Callers
// at the same time share one run.
func TestDescribeFails(t *testing.T) {
	fails := &fakeEngine{call: func(context.Context, wasmtool.Invocation, wasmtool.Host) (wasmtool.Result, error) {
		return wasmtool.Result{}, fault.New(fault.ToolFuel, "out of fuel")
	}}
	_, err := library(t, fails).Module(source("tools/a.wasm", module(t, "servlet"), "")).Describe(t.Context(), wasmtool.Describing{Run: true})
	wants(t, err, fault.ToolFuel, "asked for its tools: out of fuel", "tools/a.wasm", "tools/a.tools.yaml")
	_, err = library(t, says("\x1b[31mhello")).Module(source("tools/a.wasm", module(t, "servlet"), "")).Describe(t.Context(), wasmtool.Describing{Run: true})
	wants(t, err, fault.ToolContract, "tools/a.wasm")

	e := says(whenRun)
	m := library(t, e).Module(source("tools/a.wasm", module(t, "servlet"), ""))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := m.Describe(t.Context(), wasmtool.Describing{Run: true}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if _, n := e.counts(); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

// A file without a byte is no module that forgot its tools: the error says that it is empty,
// also beside a description.
func TestAnEmptyModule(t *testing.T) {
	for _, sidecar := range []string{"", "tools: [{name: upper}]"} {
		_, err := library(t, says("")).Module(source("tools/fmt.wasm", nil, sidecar)).Describe(t.Context(), wasmtool.Describing{Run: true})
		wants(t, err, fault.ToolModule, "tools/fmt.wasm: E_TOOL_MODULE: the file is empty")
	}
	_, err := library(t, says("")).Module(source("tools/fmt.wasm", []byte("\x00asm\x01\x00\x00\x00"), "")).Describe(t.Context(), wasmtool.Describing{Run: true})
	wants(t, err, fault.ToolContract, "tools/fmt.wasm is an empty module of 8 bytes")
}

// Scenario 13, S0-37: for a module in none of the forms and without a description, the
// error is "tool module missing `register`", with the module's exports.
func TestContract(t *testing.T) {
	m := library(t, says("")).Module(source("tools/fmt.wasm", module(t, "exports"), ""))
	_, err := m.Describe(t.Context(), wasmtool.Describing{Run: true})
	wants(t, err, fault.ToolContract, "tool module missing `register`", "tools/fmt.wasm", "upper, add")
	if has, err := m.Exports(t.Context(), "upper"); !has || err != nil {
		t.Errorf("upper: %v, %v", has, err)
	}
	for _, name := range []string{"add", "memory", "none"} {
		if has, _ := m.Exports(t.Context(), name); has {
			t.Errorf("%s is taken for a function with Extism input", name)
		}
	}
	ds, err := library(t, says("")).Module(source("tools/fmt.wasm", module(t, "exports"), "tools: [{name: upper}]")).Describe(t.Context(), wasmtool.Describing{Run: true})
	if err != nil || ds[0].Name != "upper" {
		t.Errorf("with a sidecar: %v, %v", ds, err)
	}
}
