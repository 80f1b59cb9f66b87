//go:build !js

package wazeroengine

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"

	"golem/core/wasmtool/guard"
)

// This wazero takes golem's cache of compiled code: the code of a module is kept once,
// and a second engine compiles nothing. If this fails after an update of wazero, nothing
// is kept any more, and every start of golem compiles each module.
func TestCompiledCodeIsKept(t *testing.T) {
	kept := &memoryCode{}
	if _, ok := cacheOver(kept); !ok {
		t.Fatal("wazero has changed: it does not take golem's cache")
	}
	woven, err := guard.Weave(manyFunctions(3, 1))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		e, err := New(context.Background(), Options{Cache: kept})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Compile(context.Background(), woven, ""); err != nil {
			t.Fatal(err)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if kept.put != 1 || kept.got != 1 {
		t.Errorf("kept %d times, found %d times", kept.put, kept.got)
	}
}

// What is in the cache is executed as it is, whatever the module's bytes say: this is why
// the cache of golem verifies each entry.
func TestCompiledCodeIsExecutedAsItIs(t *testing.T) {
	kept := &memoryCode{}
	result := func(module []byte) uint64 {
		t.Helper()
		cache, _ := cacheOver(kept)
		ctx := context.Background()
		r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCompilationCache(cache))
		defer r.Close(ctx)
		m, err := r.Instantiate(ctx, module)
		if err != nil {
			t.Fatal(err)
		}
		out, err := m.ExportedFunction("run").Call(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return out[0]
	}
	one, two := manyFunctions(1, 1), manyFunctions(1, 2)
	if got := result(one); got != 101 {
		t.Fatal(got)
	}
	first := slices.Collect(maps.Keys(kept.entries))[0]
	result(two)
	for name, data := range kept.entries {
		if name != first {
			kept.entries[first] = data
		}
	}
	if got := result(one); got != 102 {
		t.Errorf("the planted code did not run: %d", got)
	}
}
