package enginetest

import (
	"context"
	"testing"

	"golem/core/wasmtool"
)

// Scenario 15, and every hostile module: on wazero as this platform has it
// (the compiler natively, the interpreter under js), and on its interpreter.
func TestWazero(t *testing.T) {
	Test(t, func(t *testing.T) wasmtool.Engine { return wazero(t, wasmtool.WazeroOptions{}) }, nil)
}

func TestWazeroInterpreter(t *testing.T) {
	Test(t, func(t *testing.T) wasmtool.Engine { return wazero(t, wasmtool.WazeroOptions{Interpreter: true}) }, nil)
}

func wazero(t *testing.T, o wasmtool.WazeroOptions) wasmtool.Engine {
	e, err := wasmtool.NewWazero(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
