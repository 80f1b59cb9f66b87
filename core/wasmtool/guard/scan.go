package guard

// An edit is a place in a body where the guarded body differs.
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
	editLoop                       // after a loop's head; arg: point
	editBack                       // br or br_if to a loop's head; arg: point
	editPoint                      // where a point is; arg: point
	editBulk                       // before an operation whose length is on top of the stack
	editGrow                       // memory.grow
	editTableGrown                 // after table.grow
	editRefFunc                    // arg: function
	editIndirect                   // before call_indirect
)

// label is one open block of the function that is scanned.
type label struct {
	op          byte // 0 for the function itself
	base        int  // operands below it
	params, res int
	dead        bool // its last instruction never continues (br, return, unreachable, …)
	point       int  // the point where its next instruction is charged
	first       int  // the point where its first one is charged
	reach       int  // index of the outermost label any branch inside targets; its own index if none goes further out
	depth       int  // in the dominator tree, where it was opened
	near        int  // smallest dominator depth of an edge to this block's end; 0: no edge yet
	arm         bool // the first branch of an if reaches its end
	lost        bool // not reachable, because of an outer block or the end of an inner one
	within      bool // its beginning cannot be reached
}

// body is the result of scanning one function.
type body struct {
	code    span // instructions, the last end included
	locals  int  // parameters included
	groups  span // the local declarations' bytes, count included
	edits   []edit
	points  []point // the first is the function's entry
	peak    int     // highest operand stack
	calls   int     // number of calls
	blocks  int     // blocks, branches and targets of branch tables
	nesting int     // greatest depth of blocks
	climb   int64
	held    int64 // operand-stack heights at block entries, summed
	machine int   // bytes of machine code, see machineCode
}

// work estimates the cost of compiling the function beyond its size, in units of about
// a third of a nanosecond. The control-flow edges count with the values that may change
// or are kept on each, and, because of wazero's compiler, with their own number and with
// their depth. The factors were measured with the modules of TestLargestAccepted.
func (b *body) work() int64 {
	blocks, nesting, calls := int64(b.blocks), int64(b.nesting), int64(b.calls)
	if calls <= manyCalls {
		calls = 0 // the size of the code covers them
	}
	return 80*blocks*int64(b.locals) + blocks*blocks + 10*nesting*nesting + climbed*b.climb + 600*b.held + 3000*calls + 50*int64(b.locals)
}

// typing estimates what the types cost the compiler for one function: its own type, and
// all others, because wazero's compiler goes through all types for each function.
func (s *scanner) typing() int64 {
	own := int64(len(s.typ.params) + len(s.typ.results))
	return 300*own + 40*int64(len(s.m.types)) + int64(s.m.values)/2
}

// scanner scans one function body after another; its slices are reused.
type scanner struct {
	m      *module
	r      *reader
	typ    funcType
	labels []label
	height int
	depth  int // upper limit of the depth in the dominator tree
	out    body
	work   int64 // of all bodies so far
}

// scan reads a body. It checks every index against the original's counts, and every
// operand against the stack's height. It leaves the check of types to the engine.
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
	if s.out.machine > maxMachineCode {
		s.r.fail("a function becomes more than %d bytes of machine code", maxMachineCode)
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

// unreachable marks the next instructions of the block as code that is never reached.
func (s *scanner) unreachable() {
	top := &s.labels[len(s.labels)-1]
	top.dead = true
	s.height = top.base
}

// leaves records that a branch goes to the label of that index.
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

// elseBranch handles else: the first branch ends, and the second begins with the same
// operands as the first.
func (s *scanner) elseBranch() {
	top := &s.labels[len(s.labels)-1]
	if top.op != opIf {
		s.r.fail("an else has no if")
		return
	}
	s.pop(top.res)
	if s.height != top.base && s.r.err == nil {
		s.r.fail("operands are left at the end of a block")
	}
	s.elseLabel(top)
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
		if top.reach < n { // a branch may skip what follows
			on := top.op == opIf || !top.dead // its end can be reached without a branch
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
		s.branchBack(op, from, l.first)
		return l.params, false
	}
	s.countEdge(l)
	return l.res, true
}

func (s *scanner) call(t funcType) {
	s.out.calls++
	s.out.machine += 8 * (len(t.params) + len(t.results))
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
