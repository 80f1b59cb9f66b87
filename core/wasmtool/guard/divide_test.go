package guard

import (
	"bytes"
	"testing"
)

// slotted is a module with one page of memory, the constant global golem_slot = 1024, which is
// exported, and two segments of data: one at 0, and content at the address at.
func slotted(at byte, content string, more ...byte) []byte {
	section := func(id byte, body ...byte) []byte { return append([]byte{id, byte(len(body))}, body...) }
	out := append([]byte{}, header...)
	out = append(out, section(secMemory, 1, 0, 1)...)
	out = append(out, section(secGlobal, 1, typeI32, 0, opI32Const, 0x80, 0x08, opEnd)...)
	out = append(out, section(secExport, append(append([]byte{1, 10}, "golem_slot"...), 3, 0)...)...)
	out = append(out, more...)
	data := []byte{2, 0, opI32Const, 0, opEnd, 2, 'a', 'b', 0, opI32Const, at, 0x08, opEnd, byte(len(content))}
	out = append(out, section(secData, append(data, content...)...)...)
	return append(out, section(secCustom, 1, 'x', 'y')...)
}

func TestDivide(t *testing.T) {
	one, first, ok := Divide(slotted(0x80, "first"), "golem_slot")
	if !ok || first.At != 1024 || string(first.Data) != "first" {
		t.Fatalf("the first module: %v, %v", first, ok)
	}
	two, second, ok := Divide(slotted(0x80, "the second"), "golem_slot")
	if !ok || string(second.Data) != "the second" || !bytes.Equal(one, two) {
		t.Errorf("the second module: %v, %v, the same stem: %v", second, ok, bytes.Equal(one, two))
	}
	if _, err := Weave(one); err != nil {
		t.Errorf("the stem is refused: %v", err)
	}
	if _, _, ok := Divide(one, "golem_slot"); ok {
		t.Error("a stem was divided, whose last segment is another one")
	}
	for what, module := range map[string][]byte{
		"elsewhere":           slotted(0x81, "first"),
		"with a data count":   slotted(0x80, "first", secDataCount, 1, 2),
		"cut":                 slotted(0x80, "first")[:40],
		"with another module": append(slotted(0x80, "first"), header...),
		"not a module":        []byte("first"),
	} {
		if stem, _, ok := Divide(module, "golem_slot"); ok || stem != nil {
			t.Errorf("%s: it was divided", what)
		}
	}
	if _, _, ok := Divide(slotted(0x80, "first"), "other"); ok {
		t.Error("another slot was found")
	}
}

// What Divide finds in a damaged module lies in the memory of a stem that can be read.
func TestDivideDamaged(t *testing.T) {
	whole := slotted(0x80, "first")
	divided := 0
	for i := range whole {
		for _, b := range []byte{0, 1, 0x7f, 0x80, 0xff, whole[i] + 1} {
			bad := bytes.Clone(whole)
			bad[i] = b
			stem, filling, ok := Divide(bad, "golem_slot")
			if !ok {
				continue
			}
			divided++
			info, err := InspectFor(stem, MostMemoryPages)
			if err != nil || int(filling.At)+len(filling.Data) > int(info.Memory.Min)<<16 {
				t.Errorf("byte %d = %#x: %v, %v", i, b, filling, err)
			}
		}
	}
	if divided == 0 || divided > 5*len(whole) {
		t.Errorf("%d damaged modules were divided", divided)
	}
}
