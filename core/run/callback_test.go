package run

import (
	"errors"
	"testing"

	"golem/core/fault"
	"golem/core/tool"
)

// The number of callbacks is limited; those of the tools that they call count too.
func TestCallbacksAreCounted(t *testing.T) {
	outer := &toolHost{spec: tool.Spec{Name: "outer"}}
	inner := &toolHost{caller: &toolHost{caller: outer}}
	for i := range maxCallbacks {
		h := outer
		if i%2 == 0 {
			h = inner
		}
		if err := h.outermost().count(); err != nil {
			t.Fatalf("callback %d: %v", i+1, err)
		}
	}
	if _, err := inner.Call(t.Context(), "add", nil); !errors.Is(err, fault.Budget) {
		t.Errorf("one more: %v", err)
	}
}

// Tools can be nested only to a limit, and a stateful module cannot be called while it runs.
func TestNesting(t *testing.T) {
	var h *toolHost
	plain, state := tool.Spec{Name: "a", Module: "a.wasm"}, tool.Spec{Name: "s", Module: "s.wasm", Stateful: true}
	for i := range maxNested {
		if err := h.nests(plain); err != nil {
			t.Fatalf("nested %d deep: %v", i, err)
		}
		h = &toolHost{caller: h, spec: plain}
	}
	if err := h.nests(plain); !errors.Is(err, fault.Depth) {
		t.Errorf("one deeper: %v", err)
	}
	h = &toolHost{caller: &toolHost{spec: state}, spec: plain}
	if err := h.nests(state); !errors.Is(err, fault.Cycle) {
		t.Errorf("a stateful module within itself: %v", err)
	}
	if err := h.nests(tool.Spec{Name: "o", Module: "o.wasm", Stateful: true}); err != nil {
		t.Errorf("another stateful module: %v", err)
	}
}
