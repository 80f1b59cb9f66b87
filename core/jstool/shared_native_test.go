//go:build !js

package jstool_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"golem/core/wasmtool"
	"golem/core/wasmtool/wazeroengine"
)

// counting counts what an engine compiles.
type counting struct {
	wasmtool.Engine
	compiled atomic.Int64
}

func (c *counting) Compile(ctx context.Context, guarded []byte, digest string) (wasmtool.Compiled, error) {
	c.compiled.Add(1)
	return c.Engine.Compile(ctx, guarded, digest)
}

// The linker and all tools are one engine for the compiler, and each call has its own sources.
func TestToolsShareTheCompiledEngine(t *testing.T) {
	var e counting
	l := &wasmtool.Library{Open: func(ctx context.Context) (_ wasmtool.Engine, err error) {
		e.Engine, err = wazeroengine.New(ctx, wazeroengine.Options{})
		return &e, err
	}}
	t.Cleanup(func() { l.Close() })
	var modules [3][]byte
	for i := range modules {
		var err error
		modules[i], err = link(t, l, map[string]string{"t.js": fmt.Sprintf("/** Which. @returns {number} */\nexport const which = () => %d\n", i)}, "t.js")
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, m := range append(modules[:], modules[:]...) {
		out, err := l.Ungranted(t.Context(), m, "call", []byte(`{"params":{"name":"which","arguments":{}}}`), nil)
		if want := fmt.Sprintf(`{"content":[],"structuredContent":%d}`, i%3); err != nil || string(out) != want {
			t.Errorf("tool %d returned %s, %v; want %s", i%3, out, err, want)
		}
	}
	if n := e.compiled.Load(); n != 1 {
		t.Errorf("the engine was compiled %d times", n)
	}
}
