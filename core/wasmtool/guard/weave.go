package guard

import (
	"fmt"
	"math"
)

// weaver writes the guarded module. It adds the tick import after the original's
// imports, so that the indices of the original's functions rise by one. Its own types,
// globals and helper functions come after the original's.
type weaver struct {
	*module
	types    map[string]uint32 // added block types: their results → index in the new module
	newTypes [][]byte          // the bytes of these types; they come after the fixed ones
	fixed    uint32            // index of the first of the guard's own types
	scan     scanner
	code     []byte // the code section's bodies
	spare    []byte // room for the next body
	out      []byte
}

// The types, globals and functions that the guard adds, in this order.
const (
	ownTick   = iota // type (i64) → (i64)
	ownVoid          // type () → ()
	ownLength        // type (i32) → (i32)
	ownTypes
)

const (
	globalFuel = iota
	globalRoom
	globalFlags
)

const (
	helpRefill = iota
	helpOwed
	helpEnter
	helpCharge
	helpGrow
	helpGrown
	helpers
)

func (w *weaver) helper(i int) uint32 { return uint32(w.funcCount()) + 1 + uint32(i) }

func (w *weaver) global(i int) uint32 { return uint32(w.globals + i) }

// moved returns a function's index in the guarded module, where the tick import is the
// last of the imports.
func (w *weaver) moved(fn uint32) uint32 {
	if int(fn) >= len(w.imports) {
		return fn + 1
	}
	return fn
}

func (w *weaver) weave() ([]byte, error) {
	w.fixed = uint32(len(w.module.types))
	w.scan.m = w.module
	globals, err := w.globalSection()
	if err != nil {
		return nil, fmt.Errorf("its global section: %w", err)
	}
	elements, err := w.elementSection()
	if err != nil {
		return nil, fmt.Errorf("its element section: %w", err)
	}
	if err := w.checkData(); err != nil {
		return nil, fmt.Errorf("its data section: %w", err)
	}
	w.code = make([]byte, 0, len(w.data)+len(w.data)/8)
	for i := range w.bodies {
		if err := w.body(i); err != nil {
			return nil, fmt.Errorf("function %d: %w", len(w.imports)+i, err)
		}
	}
	w.helperBodies()
	w.out = append(make([]byte, 0, len(w.code)+len(w.data)/2), header...)
	w.section(secType, w.typeSection())
	w.section(secImport, w.importSection())
	w.section(secFunction, w.functionSection())
	w.section(secTable, w.tableSection())
	w.section(secMemory, w.memorySection())
	w.section(secGlobal, globals)
	w.section(secExport, w.exportSection())
	w.section(secElement, elements)
	w.copySection(secDataCount)
	w.codeSection()
	w.copySection(secData)
	return w.out, nil
}

func (w *weaver) section(id byte, content []byte) {
	if content == nil {
		return
	}
	w.out = append(w.out, id)
	w.out = appendU32(w.out, uint32(len(content)))
	w.out = append(w.out, content...)
}

func (w *weaver) copySection(id byte) {
	if w.has(int(id)) {
		s := w.sections[id]
		w.section(id, w.data[s.from:s.to])
	}
}

// tail returns the content of a vector section after its count.
func (w *weaver) tail(id int) []byte {
	if !w.has(id) {
		return nil
	}
	r := w.reader(id)
	r.u32()
	return w.data[r.pos:r.end]
}

func (w *weaver) typeSection() []byte {
	out := appendU32(nil, uint32(len(w.module.types)+ownTypes+len(w.newTypes)))
	out = append(out, w.tail(secType)...)
	out = append(out, 0x60, 1, typeI64, 1, typeI64) // ownTick
	out = append(out, 0x60, 0, 0)                   // ownVoid
	out = append(out, 0x60, 1, typeI32, 1, typeI32) // ownLength
	for _, t := range w.newTypes {
		out = append(out, t...)
	}
	return out
}

// blockType returns the type of a block with these results, and adds it if necessary.
func (w *weaver) blockType(results []byte) []byte {
	switch len(results) {
	case 0:
		return []byte{0x40}
	case 1:
		return results
	}
	i, ok := w.types[string(results)]
	if !ok {
		i = w.fixed + ownTypes + uint32(len(w.newTypes))
		w.types[string(results)] = i
		t := append([]byte{0x60, 0}, appendU32(nil, uint32(len(results)))...)
		w.newTypes = append(w.newTypes, append(t, results...))
	}
	return appendS64(nil, int64(i))
}

func (w *weaver) importSection() []byte {
	out := appendU32(nil, uint32(len(w.imports)+1))
	out = append(out, w.tail(secImport)...)
	out = appendName(out, TickModule)
	out = appendName(out, TickName)
	out = append(out, 0)
	return appendU32(out, w.fixed+ownTick)
}

func (w *weaver) functionSection() []byte {
	out := appendU32(nil, uint32(len(w.functions)+helpers))
	out = append(out, w.tail(secFunction)...)
	for _, t := range [helpers]uint32{helpRefill: ownVoid, helpOwed: ownVoid, helpEnter: ownVoid, helpCharge: ownLength, helpGrow: ownLength, helpGrown: ownLength} {
		out = appendU32(out, w.fixed+t)
	}
	return out
}

func (w *weaver) tableSection() []byte {
	if len(w.tables) == 0 {
		return nil
	}
	out := appendU32(nil, uint32(len(w.tables)))
	for _, t := range w.tables {
		out = append(out, t.ref, 1)
		out = appendU32(appendU32(out, t.min), t.max)
	}
	return out
}

func (w *weaver) memorySection() []byte {
	if w.memory == nil {
		return nil
	}
	out := append(appendU32(nil, 1), 1)
	return appendU32(appendU32(out, w.memory.min), w.memory.max)
}

// exportSection writes the exports with the new function indices, and the guard's own.
func (w *weaver) exportSection() []byte {
	n := len(w.exports) + 2
	if w.start >= 0 {
		n++
	}
	if w.memory != nil {
		n++
	}
	out := appendU32(nil, uint32(n))
	for _, e := range w.exports {
		index := e.index
		if e.kind == 0 {
			index = w.moved(index)
		}
		out = appendU32(append(appendName(out, e.name), e.kind), index)
	}
	out = appendU32(append(appendName(out, FuelExport), 3), w.global(globalFuel))
	out = appendU32(append(appendName(out, FlagsExport), 3), w.global(globalFlags))
	if w.start >= 0 {
		out = appendU32(append(appendName(out, StartExport), 0), w.moved(uint32(w.start)))
	}
	if w.memory != nil {
		out = appendU32(append(appendName(out, MemoryExport), 2), 0)
	}
	return out
}

func (w *weaver) globalSection() ([]byte, error) {
	out := appendU32(nil, uint32(w.globals+3))
	if w.has(secGlobal) {
		r := w.reader(secGlobal)
		r.u32()
		for i := range w.globals {
			from := r.pos
			if t := r.byte(); !isValueType(t) && r.err == nil {
				r.badType(t)
			}
			r.byte() // mutability: the engine's to check
			out = append(out, w.data[from:r.pos]...)
			out = w.constant(out, r, i)
			if r.err != nil {
				return nil, r.err
			}
		}
		if r.more() {
			r.fail("%d bytes follow its end", r.end-r.pos)
		}
		if r.err != nil {
			return nil, r.err
		}
	}
	out = append(out, typeI64, 1, opI64Const, 0, opEnd)
	out = appendS64(append(out, typeI64, 1, opI64Const), frameLimit)
	out = append(out, opEnd)
	return append(out, typeI32, 1, opI32Const, 0, opEnd), nil
}

// constant copies a constant expression of one instruction, with the new function
// index. It may use the first globals of the module, as many as globals says.
func (w *weaver) constant(out []byte, r *reader, globals int) []byte {
	from := r.pos
	op := r.byte()
	switch op {
	case opI32Const:
		r.signed(32)
	case opI64Const:
		r.signed(64)
	case opF32Const:
		r.next(4)
	case opF64Const:
		r.next(8)
	case opGlobalGet:
		r.index("global", globals)
	case opRefNull:
		r.byte()
	case opVector:
		if r.u32() != 12 && r.err == nil {
			r.fail("a constant expression has an instruction that is not constant")
		}
		r.next(16)
	case opRefFunc:
		fn := r.index("function", w.funcCount())
		out = appendU32(append(out, opRefFunc), w.moved(fn))
	default:
		r.refuse(noExtended, "instruction %#x is not constant in WebAssembly 2.0", op)
	}
	if end := r.byte(); end != opEnd && r.err == nil {
		r.refuse(noExtended, "a constant expression has more than one instruction")
	}
	if r.err != nil {
		return out
	}
	if op == opRefFunc {
		return append(out, opEnd)
	}
	return append(out, w.data[from:r.pos]...)
}

// checkData checks the data segments, which are copied unchanged.
func (w *weaver) checkData() error {
	if !w.has(secData) {
		return nil
	}
	r := w.reader(secData)
	r.u32()
	for range w.dataSegs {
		switch flag := r.u32(); flag {
		case 0, 2:
			if flag == 2 && r.u32() != 0 || w.memory == nil {
				r.fail("a data segment is for a memory that does not exist")
			}
			w.offset(r, math.MaxUint32)
		case 1:
		default:
			r.fail("a data segment has the form %d, which does not exist", flag)
		}
		r.next(int(r.u32()))
		if r.err != nil {
			return r.err
		}
	}
	if r.more() {
		r.fail("%d bytes follow its end", r.end-r.pos)
	}
	return r.err
}

// offset reads the offset expression of an active segment. It returns its bytes, and its
// value if it is a number; otherwise limit.
func (w *weaver) offset(r *reader, limit uint32) ([]byte, uint32) {
	at := limit
	if r.pos < r.end && r.data[r.pos] == opI32Const {
		peek := &reader{data: r.data, pos: r.pos + 1, end: r.end}
		at = uint32(peek.signed(32))
	}
	return w.constant(nil, r, w.globals), at
}

func (w *weaver) codeSection() {
	count := appendU32(nil, uint32(len(w.functions)+helpers))
	w.out = append(w.out, secCode)
	w.out = appendU32(w.out, uint32(len(count)+len(w.code)))
	w.out = append(append(w.out, count...), w.code...)
}
