//go:build !js && !race

package guard

import (
	"context"
	"slices"
	"testing"
	"time"
)

// This file is not built under the race detector: compiling would take ten times as long
// and find nothing more.

// Every module that the guard accepts compiles in a second or two on an idle machine.
// These are the ones that cost wazero's compiler most. The test logs the times.
func TestLargestAccepted(t *testing.T) {
	m := newMachine(t, false)
	deep := 10_000
	locals := append(appendU32([]byte{1}, MaxLocals-10), typeI32)
	blocks := 3_500
	var touched []byte // each block writes another local
	for i := range blocks {
		touched = append(touched, opI32Const, 1, opIf, 0x40, opI32Const, 2, opLocalSet)
		touched = append(appendU32(touched, uint32(i%(MaxLocals-10))), opEnd)
	}
	bodies := map[string][]byte{
		"nesting":      slices.Concat([]byte{0}, slices.Repeat([]byte{opBlock, 0x40}, deep), slices.Repeat([]byte{opEnd}, deep+1)),
		"locals":       slices.Concat(locals, touched, []byte{opEnd}),
		"calls":        slices.Concat([]byte{0}, slices.Repeat([]byte{opCall, 0}, 200_000), []byte{opEnd}),
		"branches":     slices.Concat([]byte{0}, slices.Repeat([]byte{opI32Const, 0, opIf, 0x40, opUnreachable, opEnd}, 5_000), []byte{opEnd}),
		"loops":        slices.Concat([]byte{0}, slices.Repeat([]byte{opLoop, 0x40, opEnd}, 3_500), []byte{opEnd}),
		"straight":     slices.Concat([]byte{0}, slices.Repeat([]byte{opI32Const, 1, opDrop}, MaxBody/3-10), []byte{opEnd}),
		"branch table": slices.Concat([]byte{0, opBlock, 0x40, opI32Const, 0, opBrTable}, vec(50_000, 0), []byte{0, opEnd, opEnd}),
		"kept":         slices.Concat([]byte{0}, slices.Repeat([]byte{opI32Const, 0, 0x28, 2, 0}, 3_000), slices.Repeat([]byte{opI32Const, 0, opIf, 0x40, opEnd}, 1_500), slices.Repeat([]byte{opI32Add}, 2_999), []byte{opDrop, opEnd}),
		"indirect":     slices.Concat([]byte{0}, slices.Repeat([]byte{opI32Const, 0, opCallIndirect, 0, 0}, 50_000), []byte{opEnd}),
		"loads":        slices.Concat([]byte{0, opI32Const, 0}, slices.Repeat([]byte{0x28, 2, 0}, 200_000), []byte{opDrop, opEnd}),
		"divisions":    slices.Concat([]byte{0, opI32Const, 0}, slices.Repeat([]byte{opI32Const, 3, 0x6d}, 95_000), []byte{opDrop, opEnd}),
		"fills":        slices.Concat([]byte{0}, slices.Repeat([]byte{opI32Const, 0, opI32Const, 0, opI32Const, 0, opBulk, 10, 0, 0}, 55_000), []byte{opEnd}),
		"operands":     slices.Concat([]byte{0}, slices.Repeat([]byte{opI32Const, 1}, MaxOperands), slices.Repeat([]byte{opDrop}, MaxOperands), []byte{opEnd}),
	}
	for name, body := range bodies {
		code := append(appendU32([]byte{1}, uint32(len(body))), body...)
		module := assemble(sec(secType, 1, 0x60, 0, 0), sec(secFunction, 1, 0), sec(secTable, 1, 0x70, 0, 1), sec(secMemory, 1, 0, 1), sec(secCode, code...))
		woven, err := Weave(module)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		start := time.Now()
		compiled, err := m.runtime.CompileModule(context.Background(), woven)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		t.Log(name, len(woven), time.Since(start))
		if err := compiled.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}
