//go:build !js

package guard

import (
	"testing"

	"pgregory.net/rapid"
)

// counted is a module of the generator that counts each instruction it runs in
// a global of its own, exported as "n": what fuel is measured against.
func counted(t *rapid.T, module []byte) []byte {
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

func countedBody(t *rapid.T, s *scanner, fn int) []byte {
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

// Every instruction that runs has been paid for, and not much more than those:
// at each point at most foldMost for what might have run, at a call and for
// bulk operations a surcharge.
func TestFuelPaysForEveryInstruction(t *testing.T) {
	m := newMachine(t, false)
	rapid.Check(t, func(t *rapid.T) {
		module := (&generator{t: t}).module()
		args := []uint64{uint64(rapid.Uint32().Draw(t, "a")), uint64(rapid.Uint32().Draw(t, "b"))}
		ran, err := m.global(counted(t, module), "n", args...)
		if err != nil {
			t.Fatal(err)
		}
		woven, err := Weave(module)
		if err != nil {
			t.Fatal(err)
		}
		_, fuel, err := m.run(woven, args...)
		if err != nil {
			t.Fatal(err)
		}
		if fuel < ran {
			t.Fatalf("%d instructions ran for %d units of fuel", ran, fuel)
		}
	})
}
