package wasmtool

import "strings"

// Golem's names for the traps. They distinguish only what every engine distinguishes:
// SpiderMonkey has one message for a memory access and an indirect call out of bounds,
// wazero one for the latter and a call of an empty table entry, V8 one for every number
// that does not fit. A recursion that is too deep is a fault of its own (TooDeep).
const (
	trapUnreachable = "unreachable"
	trapAccess      = "invalid memory or table access"
	trapType        = "indirect call type mismatch"
	trapZero        = "integer divide by zero"
	trapOverflow    = "integer overflow"
)

// traps maps the engines' messages to golem's names.
var traps = [...][2]string{
	// wazero; SpiderMonkey has some of the same messages
	{"out of bounds memory access", trapAccess},
	{"invalid table access", trapAccess},
	{"invalid conversion to integer", trapOverflow},
	// V8
	{"memory access out of bounds", trapAccess},
	{"table index is out of bounds", trapAccess},
	{"table access out of bounds", trapAccess},
	{"element segment out of bounds", trapAccess},
	{"data segment out of bounds", trapAccess},
	{"null function", trapAccess},
	{"function signature mismatch", trapType},
	{"null function or function signature mismatch", trapType},
	{"divide by zero", trapZero},
	{"remainder by zero", trapZero},
	{"divide result unrepresentable", trapOverflow},
	{"float unrepresentable in integer range", trapOverflow},
	// SpiderMonkey
	{"unreachable executed", trapUnreachable},
	{"index out of bounds", trapAccess},
	{"table index out of bounds", trapAccess},
	{"indirect call to null", trapAccess},
	{"indirect call signature mismatch", trapType},
	// JavaScriptCore
	{"Unreachable code should not be executed", trapUnreachable},
	{"Out of bounds memory access", trapAccess},
	{"Out of bounds table access", trapAccess},
	{"Element is trying to set an out of bounds table index", trapAccess},
	{"Out of bounds call_indirect", trapAccess},
	{"call_indirect to a null table entry", trapAccess},
	{"call_indirect to a signature that does not match", trapType},
	{"Division by zero", trapZero},
	{"Integer overflow", trapOverflow},
	{"Out of bounds Trunc operation", trapOverflow},
}

// trapWord returns golem's name for an engine's message about a trap, so that
// errors, traces and what a model is sent are the same on every engine. It returns an
// unknown message unchanged.
func trapWord(said string) string {
	word := strings.TrimPrefix(said, "WebAssembly.Instance(): ")          // V8, during instantiation
	word, _, _ = strings.Cut(word, " (evaluating ")                       // JavaScriptCore quotes the caller's code
	if strings.HasPrefix(word, "Invalid data segment initialization: ") { // JavaScriptCore, with addresses
		return trapAccess
	}
	if strings.HasPrefix(word, "data") || strings.HasPrefix(word, "element") {
		if _, rest, ok := strings.Cut(word, "]: "); ok { // wazero: "data[0]: …"
			word = rest
		} else if strings.Contains(word, " is out of bounds (offset ") { // V8: "data segment 0 is …"
			return trapAccess
		}
	}
	for _, t := range traps {
		if t[0] == word {
			return t[1]
		}
	}
	return said
}
