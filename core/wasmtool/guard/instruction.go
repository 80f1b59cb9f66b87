package guard

// Opcodes that the guard handles individually.
const (
	opUnreachable        = 0x00
	opNop                = 0x01
	opBlock              = 0x02
	opLoop               = 0x03
	opIf                 = 0x04
	opElse               = 0x05
	opEnd                = 0x0b
	opBr                 = 0x0c
	opBrIf               = 0x0d
	opBrTable            = 0x0e
	opReturn             = 0x0f
	opCall               = 0x10
	opCallIndirect       = 0x11
	opReturnCall         = 0x12
	opReturnCallIndirect = 0x13
	opDrop               = 0x1a
	opSelect             = 0x1b
	opSelectT            = 0x1c
	opLocalGet           = 0x20
	opLocalSet           = 0x21
	opLocalTee           = 0x22
	opGlobalGet          = 0x23
	opGlobalSet          = 0x24
	opTableGet           = 0x25
	opTableSet           = 0x26
	opMemorySize         = 0x3f
	opMemoryGrow         = 0x40
	opI32Const           = 0x41
	opI64Const           = 0x42
	opF32Const           = 0x43
	opF64Const           = 0x44
	opRefNull            = 0xd0
	opRefIsNull          = 0xd1
	opRefFunc            = 0xd2
	opBulk               = 0xfc
	opVector             = 0xfd
)

// instruction reads one instruction and charges it.
func (s *scanner) instruction() {
	r, from := s.r, s.r.pos
	op := r.byte()
	s.charge(1)
	switch {
	case op >= opLocalGet && op <= opLocalTee:
		r.index("local", s.out.locals)
		switch op {
		case opLocalGet:
			s.push(1)
		case opLocalSet:
			s.pop(1)
		default:
			s.pop(1)
			s.push(1)
		}
	case op >= 0x28 && op <= 0x3e:
		s.access(op)
	case op >= 0x45 && op <= 0xc4:
		s.numeric(op)
	case op <= opReturnCallIndirect:
		s.control(op, from)
	case op == opBulk:
		s.bulk(from)
	case op == opVector:
		s.vector()
	default:
		s.otherInstruction(op, from)
	}
	if r.err == nil {
		s.out.machine += machineCode(r.data[from:r.pos])
	}
}

func (s *scanner) control(op byte, from int) {
	switch op {
	case opUnreachable:
		s.unreachable()
	case opNop:
	case opBlock, opLoop:
		s.open(op, from)
	case opIf:
		s.pop(1)
		s.open(op, from)
	case opElse:
		s.elseBranch()
	case opEnd:
		s.close()
	case opBr:
		n, _ := s.target(op, from)
		s.pop(n)
		s.unreachable()
	case opBrIf:
		n, forward := s.target(op, from)
		s.pop(1 + n)
		s.push(n)
		s.out.blocks++
		s.branch()
		s.split(forward)
	case opBrTable:
		s.brTable()
	case opReturn:
		s.edit(editReturn, from, s.r.pos, uint32(len(s.labels)-1))
		s.pop(len(s.typ.results))
		s.leaves(0)
		s.unreachable()
	case opCall, opReturnCall:
		s.direct(op, from)
	case opCallIndirect, opReturnCallIndirect:
		s.indirect(op, from)
	default:
		s.r.badInstruction(op)
	}
}

func (s *scanner) direct(op byte, from int) {
	fn := s.r.index("function", s.m.funcCount())
	if s.r.err != nil {
		return
	}
	if int(fn) < len(s.m.imports) {
		s.charge(costImport)
	}
	kind := editCall
	if op == opReturnCall {
		kind = editTailCall
	}
	s.edit(kind, from, s.r.pos, fn)
	s.call(s.m.typeOf(fn))
	if op == opReturnCall {
		s.leaves(0)
		s.unreachable()
	}
}

func (s *scanner) indirect(op byte, from int) {
	typ := s.r.index("type", len(s.m.types))
	s.r.index("table", len(s.m.tables))
	if s.r.err != nil {
		return
	}
	s.charge(costEnter)
	s.pop(1)
	kind := editIndirect
	if op == opReturnCallIndirect {
		kind = editTailDepth
	}
	s.edit(kind, from, from, 0)
	s.call(s.m.types[typ])
	if op == opReturnCallIndirect {
		s.leaves(0)
		s.unreachable()
	}
}

// access handles a load or a store.
func (s *scanner) access(op byte) {
	s.r.memArg(s.m, 4)
	if op <= 0x35 {
		s.pop(1)
		s.push(1)
		return
	}
	s.pop(2)
}

// memArg reads the alignment and the offset of a load or a store.
func (r *reader) memArg(m *module, most uint32) {
	if align := r.u32(); align > most && r.err == nil {
		r.fail("an alignment of 2^%d, or a second memory", align)
	}
	r.u32()
	r.needMemory(m)
}

func (r *reader) needMemory(m *module) {
	if m.memory == nil && r.err == nil {
		r.fail("an instruction uses the memory, and the module has none")
	}
}

// numeric handles a comparison, an operation or a conversion of numbers.
func (s *scanner) numeric(op byte) {
	unary := op == 0x45 || op == 0x50 || // eqz
		op >= 0x67 && op <= 0x69 || op >= 0x79 && op <= 0x7b || // clz ctz popcnt
		op >= 0x8b && op <= 0x91 || op >= 0x99 && op <= 0x9f || // abs … sqrt
		op >= 0xa7 // conversions, sign extension
	if !unary {
		s.pop(1)
	}
	s.pop(1)
	s.push(1)
}

func (s *scanner) otherInstruction(op byte, from int) {
	r := s.r
	switch op {
	case opDrop:
		s.pop(1)
	case opSelect:
		s.pop(3)
		s.push(1)
	case opSelectT:
		if n := r.u32(); n != 1 && r.err == nil {
			r.fail("a select instruction has %d types", n)
		}
		if t := r.byte(); !isValueType(t) && r.err == nil {
			r.badType(t)
		}
		s.pop(3)
		s.push(1)
	case opGlobalGet:
		r.index("global", s.m.globals)
		s.push(1)
	case opGlobalSet:
		r.index("global", s.m.globals)
		s.pop(1)
	case opTableGet:
		r.index("table", len(s.m.tables))
		s.pop(1)
		s.push(1)
	case opTableSet:
		r.index("table", len(s.m.tables))
		s.pop(2)
	case opMemorySize:
		r.memoryIndex(s.m)
		s.push(1)
	case opMemoryGrow:
		r.memoryIndex(s.m)
		s.edit(editGrow, from, r.pos, 0)
		s.pop(1)
		s.push(1)
	case opI32Const:
		r.signed(32)
		s.push(1)
	case opI64Const:
		r.signed(64)
		s.push(1)
	case opF32Const:
		r.next(4)
		s.push(1)
	case opF64Const:
		r.next(8)
		s.push(1)
	case opRefNull:
		r.refType()
		s.push(1)
	case opRefIsNull:
		s.pop(1)
		s.push(1)
	case opRefFunc:
		fn := r.index("function", s.m.funcCount())
		s.edit(editRefFunc, from, r.pos, fn)
		s.push(1)
	default:
		r.badInstruction(op)
	}
}

func (r *reader) refType() {
	if t := r.byte(); !isRefType(t) && r.err == nil {
		r.fail("reference type %#x is not defined in WebAssembly 2.0", t)
	}
}

// memoryIndex reads the index of a memory, which must be 0.
func (r *reader) memoryIndex(m *module) {
	if b := r.byte(); b != 0 && r.err == nil {
		r.fail("a second memory")
	}
	r.needMemory(m)
}

// bulk handles an instruction after the prefix 0xfc. A bulk operation is charged when
// its length is on top of the stack.
func (s *scanner) bulk(from int) {
	r := s.r
	op := r.u32()
	if op <= 7 { // saturating truncation
		s.pop(1)
		s.push(1)
		return
	}
	if op >= 8 && op <= 17 && op != 9 && op != 13 && op != 16 {
		s.edit(editBulk, from, from, 0)
	}
	switch op {
	case 8: // memory.init
		r.dataIndex(s.m)
		r.memoryIndex(s.m)
		s.pop(3)
	case 9: // data.drop
		r.dataIndex(s.m)
	case 10: // memory.copy
		r.memoryIndex(s.m)
		r.memoryIndex(s.m)
		s.pop(3)
	case 11: // memory.fill
		r.memoryIndex(s.m)
		s.pop(3)
		s.filled()
	case 12: // table.init
		r.index("element segment", s.m.elements)
		r.index("table", len(s.m.tables))
		s.pop(3)
	case 13: // elem.drop
		r.index("element segment", s.m.elements)
	case 14: // table.copy
		r.index("table", len(s.m.tables))
		r.index("table", len(s.m.tables))
		s.pop(3)
	case 15: // table.grow
		r.index("table", len(s.m.tables))
		s.edit(editTableGrown, r.pos, r.pos, 0)
		s.pop(2)
		s.push(1)
	case 16: // table.size
		r.index("table", len(s.m.tables))
		s.push(1)
	case 17: // table.fill
		r.index("table", len(s.m.tables))
		s.pop(3)
		s.filled()
	default:
		r.fail("instruction 0xfc %d is not defined in WebAssembly 2.0", op)
	}
}

// dataIndex reads the index of a data segment.
func (r *reader) dataIndex(m *module) {
	if m.dataCount < 0 && r.err == nil {
		r.fail("an instruction uses data segments, and the data count section is missing")
	}
	r.index("data segment", max(m.dataCount, 0))
}
