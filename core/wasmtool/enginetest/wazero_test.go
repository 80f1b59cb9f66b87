package enginetest

import (
	"context"
	"testing"

	"golem/core/wasmtool"
	"golem/core/wasmtool/wazeroengine"
)

// Scenario 15, and every hostile module: with wazero's default on this platform (the
// compiler natively, the interpreter under js), and with its interpreter.
func TestWazero(t *testing.T) {
	processorTime = rusage
	Test(t, func(t *testing.T) wasmtool.Engine { return wazero(t, wazeroengine.Options{}) }, slow(t))
}

func TestWazeroInterpreter(t *testing.T) {
	processorTime = rusage
	Test(t, func(t *testing.T) wasmtool.Engine { return wazero(t, wazeroengine.Options{Interpreter: true}) }, slow(t))
}

// slow returns the cases that take too long under the race detector. It would only
// watch a compiler that goes over a hundred thousand instructions.
func slow(t *testing.T) map[string]string {
	out := map[string]string{}
	if !raceDetector {
		return out
	}
	cases, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if c.Bytes != nil && c.Want.Code != "E_TOOL_MODULE" {
			out[c.Name] = "large modules are not compiled under the race detector"
		}
	}
	return out
}

func wazero(t *testing.T, o wazeroengine.Options) wasmtool.Engine {
	e, err := wazeroengine.New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
