package guard

import "slices"

// Filling is content that belongs into the memory of each new instance of a module.
type Filling struct {
	At   uint32
	Data []byte
}

// Divide takes the last segment off the data of a module, if it lies at the address that the
// exported global slot has, and all custom sections. The stem that is left is the same for all
// modules that differ only there; an instance of it whose memory gets the filling before anything
// runs is what an instance of the whole module is. ok is false if the module is of another kind.
func Divide(data []byte, slot string) (stem []byte, filling Filling, ok bool) {
	m, err := parseFor(data, MostMemoryPages)
	if err != nil || m.memory == nil || m.dataCount >= 0 || m.dataSegs == 0 {
		return nil, filling, false
	}
	at, ok := m.constantGlobal(slot)
	if !ok {
		return nil, filling, false
	}
	last, filling, ok := m.lastSegment()
	if !ok || filling.At != at || uint64(at)+uint64(len(filling.Data)) > uint64(m.memory.min)<<16 {
		return nil, Filling{}, false
	}
	stem = slices.Clone(header)
	for _, id := range []byte{secType, secImport, secFunction, secTable, secMemory, secGlobal, secExport, secStart, secElement, secCode, secData} {
		if !m.has(int(id)) {
			continue
		}
		content := data[m.sections[id].from:m.sections[id].to]
		if id == secData {
			r := m.reader(secData)
			r.u32()
			content = append(appendU32(nil, uint32(m.dataSegs-1)), data[r.pos:last]...)
		}
		stem = append(appendU32(append(stem, id), uint32(len(content))), content...)
	}
	return stem, filling, true
}

// constantGlobal returns the value of an exported global. ok is false if there is none, or if
// not all globals before it are numbers.
func (m *module) constantGlobal(name string) (value uint32, ok bool) {
	at := slices.IndexFunc(m.exports, func(e exported) bool { return e.kind == 3 && e.name == name })
	if at < 0 || !m.has(secGlobal) {
		return 0, false
	}
	r := m.reader(secGlobal)
	r.u32()
	for range m.exports[at].index + 1 {
		kind, variable := r.byte(), r.byte()
		value, ok = r.i32Constant()
		if !ok || kind != typeI32 || variable > 1 {
			return 0, false
		}
		ok = variable == 0
	}
	return value, ok
}

// i32Constant reads a constant expression that is a number of 32 bits.
func (r *reader) i32Constant() (value uint32, ok bool) {
	op := r.byte()
	v := r.signed(32)
	end := r.byte()
	return uint32(v), r.err == nil && op == opI32Const && end == opEnd
}

// lastSegment returns where the last segment of the data begins, and what it is. ok is false if
// a segment is not active at a constant address.
func (m *module) lastSegment() (from int, last Filling, ok bool) {
	r := m.reader(secData)
	r.u32()
	for range m.dataSegs {
		from = r.pos
		if r.u32() != 0 {
			return 0, last, false
		}
		if last.At, ok = r.i32Constant(); !ok {
			return 0, last, false
		}
		last.Data = r.next(int(r.u32()))
	}
	return from, last, r.err == nil && !r.more()
}
