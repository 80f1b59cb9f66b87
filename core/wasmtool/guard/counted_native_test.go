//go:build !js

package guard

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// failing is the part of testing.TB and rapid.T that is used here.
type failing interface{ Fatal(...any) }

// counted returns a module of the generator with code that counts each instruction that
// runs in a new global, exported as "n". The tests compare fuel with it.
func counted(t failing, module []byte) []byte {
	m, err := parse(module)
	if err != nil {
		t.Fatal(err)
	}
	s := &scanner{m: m}
	code := appendU32(nil, uint32(len(m.bodies)))
	for i := range m.bodies {
		body := countedBody(t, s, i)
		code = append(appendU32(code, uint32(len(body))), body...)
	}
	out := append([]byte(nil), header...)
	for id := range m.sections {
		content := module[m.sections[id].from:m.sections[id].to]
		switch id {
		case secGlobal:
			content = append(append([]byte{2}, content[1:]...), typeI64, 1, opI64Const, 0, opEnd)
		case secExport:
			content = append(append([]byte{content[0] + 1}, content[1:]...), 1, 'n', 3, 1)
		case secCode:
			content = code
		}
		if m.has(id) {
			out = append(out, sec(byte(id), content...)...)
		}
	}
	return out
}

func countedBody(t failing, s *scanner, fn int) []byte {
	if err := s.scan(fn); err != nil {
		t.Fatal(err)
	}
	data := s.m.data
	body := append([]byte(nil), data[s.out.groups.from:s.out.groups.to]...)
	s.labels = append(s.labels[:0], label{res: len(s.typ.results)})
	s.height, s.r = 0, &reader{data: data, pos: s.out.code.from, end: s.out.code.to}
	s.out = body0()
	for s.r.more() {
		from := s.r.pos
		s.instruction()
		body = append(body, opGlobalGet, 1, opI64Const, 1, opI64Add, opGlobalSet, 1)
		body = append(body, data[from:s.r.pos]...)
	}
	return body
}

func body0() body { return body{locals: genLocals + genLoops, points: []point{{kept: true}}} }

// Every instruction that runs has been paid for.
func TestFuelPaysForEveryInstruction(t *testing.T) {
	m := newMachine(t, false)
	rapid.Check(t, func(t *rapid.T) {
		module := (&generator{t: t}).module()
		args := []uint64{uint64(rapid.Uint32().Draw(t, "a")), uint64(rapid.Uint32().Draw(t, "b"))}
		if ran, fuel := m.ranFor(t, module, args...); fuel < ran {
			t.Fatalf("%d instructions ran for %d units of fuel", ran, fuel)
		}
	})
}

// ranFor returns how many instructions a module runs, and the fuel that the guarded module
// uses.
func (m *machine) ranFor(t failing, module []byte, args ...uint64) (ran, fuel int64) {
	ran, err := m.global(counted(t, module), "n", args...)
	if err != nil {
		t.Fatal(err)
	}
	woven, err := Weave(module)
	if err != nil {
		t.Fatal(err)
	}
	_, fuel, err = m.run(woven, args...)
	if err != nil {
		t.Fatal(err)
	}
	return ran, fuel
}

// Fuel is the number of instructions that ran, plus what was folded and did not run: at
// most foldMost, or foldLikely, each time. rapid found the first case with a guard that
// did not add up folded points.
func TestFuelFollowsTheRun(t *testing.T) {
	m := newMachine(t, false)
	long := func(n int) []byte { return bytes.Repeat([]byte{opNop}, n) }
	down := []byte{opLocalGet, 0, opI32Const, 1, 0x6b, opLocalTee, 0}
	for _, c := range []struct {
		name  string
		body  []byte // of a function with two parameters and five more locals
		arg   uint64
		extra int64 // charged for what was folded and did not run
	}{
		{"an if that is not taken, its else folded", slices.Concat([]byte{opLocalGet, 0, opIf, 0x40, opElse}, long(63), []byte{opEnd}), 0, 0},
		{"an else too long to fold", slices.Concat([]byte{opLocalGet, 0, opIf, 0x40, opElse}, long(64), []byte{opEnd}), 0, 1},
		{"an else too long to fold, not taken", slices.Concat([]byte{opLocalGet, 0, opIf, 0x40, opElse}, long(500), []byte{opEnd}), 1, 0},
		{"back with br_if", slices.Concat([]byte{opLoop, 0x40}, down, []byte{opBrIf, 0, opEnd}), 1000, 999},
		{"back with br_if, a long round", slices.Concat([]byte{opLoop, 0x40}, long(100), down, []byte{opBrIf, 0, opEnd}), 1000, 999},
		{"back with br", slices.Concat([]byte{opBlock, 0x40, opLoop, 0x40}, down, []byte{opI32Eqz, opBrIf, 1, opBr, 0, opEnd, opEnd}), 1000, 2},
		{"back with br_table", slices.Concat([]byte{opBlock, 0x40, opLoop, 0x40}, down, []byte{opI32Eqz, opBrTable, 1, 0, 1, opEnd, opEnd}), 1000, 1},
		{"back from four places", slices.Concat([]byte{opLoop, 0x40}, down, []byte{opBrIf, 0}, long(99), bytes.Repeat([]byte{opLocalGet, 0, opBrIf, 0}, 3), []byte{opEnd}), 1000, 0},
		{"back with an operand", slices.Concat([]byte{opI32Const, 1, opI32Const, 2, opLoop, 0, opDrop, opDrop, opI32Const, 1, opI32Const, 2}, down, []byte{opBrIf, 0, opDrop, opEnd, opDrop}), 1000, 1998},
		{"a loop in a loop", slices.Concat([]byte{opLoop, 0x40, opLoop, 0x40}, down, []byte{opI32Const, 3, 0x71, opBrIf, 0, opEnd, opLocalGet, 0, opBrIf, 0, opEnd}), 1000, 999},
		{"a loop that is not come to", slices.Concat([]byte{opLocalGet, 0, opIf, 0x40, opLoop, 0x40}, long(300), down, []byte{opBrIf, 0, opEnd, opEnd}), 0, 2},
		{"code behind a way out, taken", slices.Concat([]byte{opBlock, 0x40, opBlock, 0x40, opLocalGet, 0, opBrIf, 1}, long(200), []byte{opEnd, opEnd}), 1, 202},
		{"much code behind a way out, taken", slices.Concat([]byte{opBlock, 0x40, opBlock, 0x40, opLocalGet, 0, opBrIf, 1}, long(300), []byte{opEnd, opEnd}), 1, 1},
		{"code behind a way back, taken", slices.Concat([]byte{opLoop, 0x40}, down, []byte{opBrIf, 0}, long(100), []byte{opEnd}), 1000, 0},
		{"a loop that goes one round", slices.Concat([]byte{opLoop, 0x40}, long(300), []byte{opEnd}), 0, 0},
		{"a branch out of a long loop", slices.Concat([]byte{opBlock, 0x40, opLoop, 0x40, opLocalGet, 0, opI32Eqz, opBrIf, 1}, long(300), down, []byte{opDrop, opBr, 0, opEnd, opEnd}), 1000, 1},
	} {
		ran, fuel := m.ranFor(t, single(slices.Concat(c.body, []byte{opI32Const, 0, opEnd})), c.arg, 0)
		if want := ran + costEnter + c.extra; fuel != want {
			t.Errorf("%s: %d instructions ran for %d units of fuel, %d wanted", c.name, ran, fuel, want)
		}
	}
}

// single returns a module in the generator's form with that one function.
func single(body []byte) []byte {
	b := append([]byte{1, genLocals - genParams + genLoops, typeI32}, body...)
	exports := append([]byte{2, 3, 'r', 'u', 'n', 0, 0}, 1, 'g', 3, 0)
	return assemble(
		sec(secType, 1, 0x60, genParams, typeI32, typeI32, 1, typeI32),
		sec(secFunction, vec(1, 0)...), sec(secMemory, 1, 0, 1),
		sec(secGlobal, 1, typeI32, 1, opI32Const, 7, opEnd), sec(secExport, exports...), sec(secCode, append(appendU32([]byte{1}, uint32(len(b))), b...)...),
	)
}
