package wasmtool

import (
	"strings"
	"testing"
)

// Each kind of trap has one name for all engines. The messages were taken from wazero
// v1.12, V8 15.6, SpiderMonkey 153 and JavaScriptCore (WebKitGTK 2.50.6) when they ran
// the modules of enginetest. web/traps_test.go gets them from the browsers again.
func TestTrapWords(t *testing.T) {
	for want, said := range map[string][]string{
		"unreachable": {"unreachable", "unreachable executed", "Unreachable code should not be executed (evaluating 'f(...args)')"},
		"invalid memory or table access": {
			"out of bounds memory access", "data[0]: out of bounds memory access", "invalid table access", "element[12]: invalid table access",
			"memory access out of bounds", "table index is out of bounds", "null function", "WebAssembly.Instance(): table index is out of bounds",
			"WebAssembly.Instance(): data segment 0 is out of bounds (offset 65535, length 3, memory size 65536)",
			"index out of bounds", "table index out of bounds", "indirect call to null",
			"Out of bounds memory access (evaluating 'f(...args)')", "Out of bounds call_indirect", "call_indirect to a null table entry",
			"Out of bounds table access (evaluating 'f(...args)')", "Element is trying to set an out of bounds table index (evaluating 'new WebAssembly.Instance(module)')",
			"Invalid data segment initialization: segment of 3 bytes memory of 65536 bytes, at offset 65535, segment writes outside of memory (evaluating 'new WebAssembly.Instance(module)')",
		},
		"indirect call type mismatch": {"indirect call type mismatch", "function signature mismatch", "indirect call signature mismatch", "call_indirect to a signature that does not match"},
		"integer divide by zero":      {"integer divide by zero", "divide by zero", "remainder by zero", "Division by zero (evaluating 'f(...args)')"},
		"integer overflow": {
			"integer overflow", "invalid conversion to integer", "divide result unrepresentable", "float unrepresentable in integer range", "Integer overflow", "Out of bounds Trunc operation",
		},
		// golem's own, and what no engine says
		HostFailed: {HostFailed}, "data lost": {"data lost"}, "element": {"element"},
	} {
		for _, s := range said {
			_, err := Judge(Extism, Ending{Trap: s})
			if err == nil || !strings.HasSuffix(err.Error(), "the module trapped: "+want) {
				t.Errorf("%q became %v", s, err)
			}
		}
	}
}
