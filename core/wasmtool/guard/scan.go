package guard

// An edit is a place in a body where the woven one differs.
type edit struct {
	from, to int // the original's bytes that are replaced; equal: an insertion
	kind     editKind
	arg      uint32
}

type editKind byte

const (
	editCall       editKind = iota // arg: function
	editTailCall                   // arg: function
	editTailDepth                  // before return_call_indirect
	editReturn                     // arg: label
	editLoop                       // behind a loop's head; arg: point
	editBack                       // br or br_if to a loop's head; arg: point
	editPoint                      // where a segment begins; arg: point
	editBulk                       // before an operation with a length on top
	editGrow                       // memory.grow
	editTableGrown                 // after table.grow
	editRefFunc                    // arg: function
	editIndirect                   // before call_indirect
)

// label is one open block.
type label struct {
	op          byte // 0 for the function itself
	base        int  // operands below it
	params, res int
	dead        bool // what follows cannot be reached, says its last instruction
	point       int  // where its next instruction is charged
	first       int  // where its first one is
	reach       int  // index of the outermost label any branch inside targets; its own index if none goes further out
	depth       int  // of dominators, where it was opened
	near        int  // smallest dominator depth of an edge to this block's end; 0: no edge yet
	arm         bool // the first branch of an if comes to its end
	lost        bool // what follows cannot be reached
	within      bool // and neither could its beginning
}

// body is what scanning a function finds.
type body struct {
	code    span // instructions, the last end included
	locals  int  // parameters included
	groups  span // the local declarations' bytes, count included
	edits   []edit
	points  []point // the first is the function's entry
	peak    int     // highest operand stack
	calls   int     // how many there are
	blocks  int     // blocks, branches and targets of branch tables
	nesting int     // blocks within blocks, at most
	climb   int64
	held    int64 // operand-stack heights at block entries, summed
}

// work is what compiling the function costs beyond its size, in units of about
// a third of a nanosecond: edges of the control flow by values that may change
// or are kept on each, and, in wazero's compiler, by themselves and by how deep
// they lie. Measured with the modules of TestLargestAccepted.
func (b *body) work() int64 {
	blocks, nesting, calls := int64(b.blocks), int64(b.nesting), int64(b.calls)
	if calls <= manyCalls {
		calls = 0 // they are in the size
	}
	return 80*blocks*int64(b.locals) + blocks*blocks + 10*nesting*nesting + climbed*b.climb + 600*b.held + 3000*calls + 50*int64(b.locals)
}

// typing is what a function costs by its own type, and by all the others: for
// each function wazero's compiler goes through the types of the module.
func (s *scanner) typing() int64 {
	own := int64(len(s.typ.params) + len(s.typ.results))
	return 300*own + 40*int64(len(s.m.types)) + int64(s.m.values)/2
}

// scanner reads one function body after another; its slices are reused.
type scanner struct {
	m      *module
	r      *reader
	typ    funcType
	labels []label
	height int
	depth  int // of dominators, at most
	out    body
	work   int64 // of all bodies so far
}

// scan reads a body: every index is held against the original's counts, every
// operand against the stack's height. Types are the engine's to check.
func (s *scanner) scan(fn int) error {
	at := s.m.bodies[fn]
	s.r = &reader{data: s.m.data, pos: at.from, end: at.to}
	s.typ = s.m.types[s.m.functions[fn]]
	s.labels = append(s.labels[:0], label{res: len(s.typ.results)})
	s.height, s.depth = 0, 3 // the guard begins it with branches of its own
	s.out = body{edits: s.out.edits[:0], points: append(s.out.points[:0], point{kept: true, cost: costEnter})}
	s.readLocals()
	s.out.code.from = s.r.pos
	for s.r.err == nil && len(s.labels) > 0 {
		s.instruction()
	}
	if s.r.err == nil && s.r.pos != s.r.end {
		s.r.fail("a function has instructions after its end")
	}
	if s.work += s.out.work() + s.typing(); s.work > MaxWork {
		s.r.fail("a function has too many blocks and locals (%d and %d) to be compiled in time", s.out.blocks, s.out.locals)
	}
	s.out.code.to = s.r.pos
	s.out.fold()
	return s.r.err
}

func (s *scanner) readLocals() {
	from := s.r.pos
	total := uint64(len(s.typ.params))
	for range s.r.count("groups of locals", MaxLocals) {
		total += uint64(s.r.u32())
		if t := s.r.byte(); s.r.err == nil && !isValueType(t) {
			s.r.badType(t)
		}
		if total > MaxLocals {
			s.r.fail("a function has more than %d locals", MaxLocals)
		}
		if s.r.err != nil {
			return
		}
	}
	s.out.locals = int(total)
	s.out.groups = span{from, s.r.pos}
}

func (s *scanner) edit(kind editKind, from, to int, arg uint32) {
	s.out.edits = append(s.out.edits, edit{from: from, to: to, kind: kind, arg: arg})
}

func (s *scanner) pop(n int) {
	top := &s.labels[len(s.labels)-1]
	if s.height-n < top.base {
		if !top.dead {
			s.r.fail("an instruction needs more operands than the stack has")
			return
		}
		s.height = top.base
		return
	}
	s.height -= n
}

func (s *scanner) push(n int) {
	s.height += n
	if s.height > s.out.peak {
		if s.out.peak = s.height; s.height > MaxOperands {
			s.r.fail("a function has more than %d operands on the stack", MaxOperands)
		}
	}
}

// unreachable begins code that no run can come to.
func (s *scanner) unreachable() {
	top := &s.labels[len(s.labels)-1]
	top.dead = true
	s.height = top.base
}

// leaves notes that a branch goes to the label of that index.
func (s *scanner) leaves(index int) {
	top := &s.labels[len(s.labels)-1]
	top.reach = min(top.reach, index)
}

// open begins a block whose type is read from the body.
func (s *scanner) open(op byte, from int) {
	params, results := s.blockType()
	s.pop(params)
	lost := !s.live()
	at := s.labels[len(s.labels)-1].point
	switch op {
	case opLoop:
		at = s.newPoint(at, false, from)
		s.out.points[at].head = params > 0
		s.edit(editLoop, s.r.pos, s.r.pos, uint32(at))
	case opIf:
		at = s.newPoint(at, false, s.r.pos)
	}
	if s.out.blocks++; len(s.labels) >= MaxNesting {
		s.r.fail("blocks are nested more than %d deep", MaxNesting)
	}
	s.out.nesting = max(s.out.nesting, len(s.labels))
	s.labels = append(s.labels, label{op: op, base: s.height, params: params, res: results, point: at, reach: len(s.labels), first: at})
	s.descend(&s.labels[len(s.labels)-1], lost)
	s.push(params)
}

func (s *scanner) blockType() (params, results int) {
	if s.r.pos < s.r.end {
		switch b := s.r.data[s.r.pos]; {
		case b == 0x40:
			s.r.pos++
			return 0, 0
		case isValueType(b):
			s.r.pos++
			return 0, 1
		}
	}
	i := s.r.signed(33)
	if s.r.err == nil && (i < 0 || i >= int64(len(s.m.types))) {
		s.r.fail("block type %d does not exist", i)
	}
	if s.r.err != nil {
		return 0, 0
	}
	t := s.m.types[i]
	return len(t.params), len(t.results)
}

// otherwise is else: the first branch ends, the second begins as the first did.
func (s *scanner) otherwise() {
	top := &s.labels[len(s.labels)-1]
	if top.op != opIf {
		s.r.fail("an else has no if")
		return
	}
	s.pop(top.res)
	if s.height != top.base && s.r.err == nil {
		s.r.fail("operands are left at the end of a block")
	}
	s.turn(top)
	top.op, top.dead = opElse, false
	top.point = s.newPoint(s.labels[len(s.labels)-2].point, false, s.r.pos)
	s.height = top.base
	s.push(top.params)
}

func (s *scanner) close() {
	top := s.labels[len(s.labels)-1]
	if top.op == opIf && top.params != top.res {
		s.r.fail("an if that changes the stack has no else")
	}
	s.pop(top.res)
	if s.height != top.base && s.r.err == nil {
		s.r.fail("operands are left at the end of a block")
	}
	s.height = top.base
	reached := s.ascend(&s.labels[len(s.labels)-1])
	s.labels = s.labels[:len(s.labels)-1]
	if n := len(s.labels); n > 0 {
		s.labels[n-1].lost = s.labels[n-1].lost || !reached
		s.push(top.res)
		s.leaves(top.reach)
		if top.reach < n { // what follows may be passed over
			on := top.op == opIf || !top.dead // without a branch to its end
			s.split(on && s.labels[top.reach].op != opLoop)
		}
	}
}

// target reads a branch's label and returns how many operands it takes, and
// whether it goes forward.
func (s *scanner) target(op byte, from int) (operands int, forward bool) {
	i := s.r.index("label", len(s.labels))
	if s.r.err != nil {
		return 0, false
	}
	at := len(s.labels) - 1 - int(i)
	s.leaves(at)
	l := &s.labels[at]
	if l.op == opLoop {
		s.back(op, from, l.first)
		return l.params, false
	}
	s.comes(l)
	return l.res, true
}

func (s *scanner) call(t funcType) {
	s.out.calls++
	s.pop(len(t.params))
	s.push(len(t.results))
}

func (s *scanner) brTable() {
	n := s.r.count("branch targets", MaxBranches)
	operands := 0
	s.depth++ // each way has a block of its own
	for range n + 1 {
		s.climb(4)
		operands, _ = s.target(opBrTable, 0)
		if s.r.err != nil {
			return
		}
	}
	s.out.blocks += int(n) // each is an edge for the compiler
	s.climb(2 * int(n))
	s.pop(1 + operands)
	s.unreachable()
}
