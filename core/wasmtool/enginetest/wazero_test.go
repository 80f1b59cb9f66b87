package enginetest

import (
	"context"
	"testing"

	"golem/core/wasmtool"
	"golem/core/wasmtool/wazeroengine"
)

// Scenario 15, and every hostile module: on wazero as this platform has it
// (the compiler natively, the interpreter under js), and on its interpreter.
func TestWazero(t *testing.T) {
	Test(t, func(t *testing.T) wasmtool.Engine { return wazero(t, wazeroengine.Options{}) }, nil)
}

func TestWazeroInterpreter(t *testing.T) {
	Test(t, func(t *testing.T) wasmtool.Engine { return wazero(t, wazeroengine.Options{Interpreter: true}) }, nil)
}

func wazero(t *testing.T, o wazeroengine.Options) wasmtool.Engine {
	e, err := wazeroengine.New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
