package guard

// body scans function i and appends its guarded body to the others.
func (w *weaver) body(i int) error {
	s := &w.scan
	if err := s.scan(i); err != nil {
		return err
	}
	e := emitter{w: w, b: &s.out, results: s.typ.results, weight: weight(&s.out)}
	e.counted = e.b.calls > 0 || e.weight > 8*frameLeast
	e.fuel = uint32(e.b.locals) // the local that holds the counter
	buf := e.write(w.spare[:0])
	w.code = appendU32(w.code, uint32(len(buf)))
	w.code = append(w.code, buf...)
	w.spare = buf
	return nil
}

// weight returns the assumed size of the function's stack frame, in bytes.
func weight(b *body) int64 {
	return max(frameLeast, frameBase+frameValue*int64(b.locals+b.peak))
}

// emitter writes one guarded body.
type emitter struct {
	w       *weaver
	b       *body
	results []byte
	weight  int64
	counted bool   // its frame counts for the call depth: not for small functions without calls
	fuel    uint32 // index of the local added for the counter
}

func (e *emitter) write(out []byte) []byte {
	b, data := e.b, e.w.data
	out = e.locals(out)
	cost := b.points[0].cost
	switch {
	case e.counted:
		out = append(e.enter(out, cost), opBlock)
		out = append(out, e.w.blockType(e.results)...)
	case b.total() > cheapLeaf:
		out = e.check(out, cost)
	default:
		out = e.charge(out, cost)
	}
	at := b.code.from
	for i := range b.edits {
		ed := &b.edits[i]
		out = append(out, data[at:ed.from]...)
		out = e.edit(out, ed)
		at = ed.to
	}
	out = append(out, data[at:b.code.to]...)
	if e.counted {
		out = e.leave(out)
		out = append(out, opEnd)
	}
	return out
}

// locals writes the original's locals and one more i64, for the counter.
func (e *emitter) locals(out []byte) []byte {
	r := &reader{data: e.w.data, pos: e.b.groups.from, end: e.b.groups.to}
	out = appendU32(out, r.u32()+1)
	out = append(out, r.data[r.pos:r.end]...)
	return append(out, 1, typeI64)
}

// charge writes code that subtracts cost from the counter.
func (e *emitter) charge(out []byte, cost int64) []byte {
	fuel := e.w.global(globalFuel)
	out = appendU32(append(out, opGlobalGet), fuel)
	out = appendS64(append(out, opI64Const), cost)
	return appendU32(append(out, opI64Sub, opGlobalSet), fuel)
}

// takeFuel writes code that subtracts cost from the counter and keeps the new value
// in the local, too.
func (e *emitter) takeFuel(out []byte, cost int64) []byte {
	fuel := e.w.global(globalFuel)
	out = appendU32(append(out, opGlobalGet), fuel)
	out = appendS64(append(out, opI64Const), cost)
	out = appendU32(append(out, opI64Sub, opLocalTee), e.fuel)
	return appendU32(append(out, opGlobalSet), fuel)
}

// chargeAnd writes code that subtracts cost from the counter and compares the rest with
// zero.
func (e *emitter) chargeAnd(out []byte, cost int64, compare byte) []byte {
	out = appendU32(append(e.takeFuel(out, cost), opLocalGet), e.fuel)
	return append(out, opI64Const, 0, compare)
}

func (e *emitter) refill(out []byte) []byte {
	return appendU32(append(out, opCall), e.w.helper(helpRefill))
}

// check writes code that subtracts cost from the counter and refills the counter if it is
// below zero then.
func (e *emitter) check(out []byte, cost int64) []byte {
	out = append(e.chargeAnd(out, cost, opI64LtS), opIf, 0x40)
	return append(e.refill(out), opEnd)
}

// branchBack writes a branch to a loop's head that pays for the next round. The path with a
// refill and the one without each have a branch of their own, so that no engine has to
// join them before.
func (e *emitter) branchBack(out []byte, ed *edit) []byte {
	cost := e.b.points[ed.arg].cost
	r := &reader{data: e.w.data, pos: ed.from + 1, end: ed.to}
	label := r.u32()
	conditional := e.w.data[ed.from] == opBrIf
	if conditional {
		label++
		out = append(out, opIf, 0x40)
	}
	out = appendU32(append(e.chargeAnd(out, cost, opI64GeS), opBrIf), label)
	out = appendU32(append(e.refill(out), opBr), label)
	if conditional {
		out = append(out, opEnd)
	}
	return out
}

// enter writes code that subtracts cost from the counter and the frame from the room. If
// either is below zero then, the code calls helpEnter, which refills the counter or ends
// the call.
func (e *emitter) enter(out []byte, cost int64) []byte {
	out = e.takeFuel(out, cost)
	out = e.addRoom(out, -e.weight)
	out = appendU32(append(out, opLocalGet), e.fuel)
	out = appendU32(append(out, opGlobalGet), e.w.global(globalRoom))
	out = append(out, opI64Or, opI64Const, 0, opI64LtS, opIf, 0x40, opCall)
	return append(appendU32(out, e.w.helper(helpEnter)), opEnd)
}

func (e *emitter) leave(out []byte) []byte { return e.addRoom(out, e.weight) }

func (e *emitter) addRoom(out []byte, by int64) []byte {
	room := e.w.global(globalRoom)
	out = appendU32(append(out, opGlobalGet), room)
	out = appendS64(append(out, opI64Const), by)
	return appendU32(append(out, opI64Add, opGlobalSet), room)
}

// look writes a check of the counter before a call, if the function has more than
// manyCalls calls: together the functions that it calls may run for long without a check.
func (e *emitter) look(out []byte) []byte {
	if e.b.calls <= manyCalls {
		return out
	}
	return appendU32(append(out, opCall), e.w.helper(helpOwed))
}

func (e *emitter) edit(out []byte, ed *edit) []byte {
	w := e.w
	switch ed.kind {
	case editCall:
		return appendU32(append(e.look(out), opCall), w.moved(ed.arg))
	case editIndirect:
		return e.look(out)
	case editTailCall:
		return appendU32(append(e.leave(out), opReturnCall), w.moved(ed.arg))
	case editTailDepth:
		return e.leave(out)
	case editReturn:
		if !e.counted {
			return append(out, opReturn)
		}
		return appendU32(append(out, opBr), ed.arg)
	case editLoop:
		if p := &e.b.points[ed.arg]; p.head {
			return e.check(out, p.cost)
		}
	case editBack:
		if p := &e.b.points[ed.arg]; !p.head {
			return e.branchBack(out, ed)
		}
		return append(out, w.data[ed.from:ed.to]...)
	case editPoint:
		if p := &e.b.points[ed.arg]; p.kept && !p.head {
			return e.charge(out, p.cost)
		}
	case editBulk:
		return appendU32(append(out, opCall), w.helper(helpCharge))
	case editGrow:
		return appendU32(append(out, opCall), w.helper(helpGrow))
	case editTableGrown:
		return appendU32(append(out, opCall), w.helper(helpGrown))
	case editRefFunc:
		return appendU32(append(out, opRefFunc), w.moved(ed.arg))
	}
	return out
}

const (
	opI32Eqz       = 0x45
	opI32Eq        = 0x46
	opI32GtU       = 0x4b
	opI64LtS       = 0x53
	opI64GeS       = 0x59
	opI32Add       = 0x6a
	opI32Or        = 0x72
	opI64Add       = 0x7c
	opI64Sub       = 0x7d
	opI64Or        = 0x84
	opI64Mul       = 0x7e
	opI64ShrU      = 0x88
	opI64ExtendI32 = 0xad // unsigned
)

// helperBodies writes the functions that the edits call.
func (w *weaver) helperBodies() {
	fuel, flags := w.global(globalFuel), w.global(globalFlags)
	get := func(out []byte, g uint32) []byte { return appendU32(append(out, opGlobalGet), g) }
	set := func(out []byte, g uint32) []byte { return appendU32(append(out, opGlobalSet), g) }
	raise := func(out []byte, flag int32) []byte {
		out = appendS64(append(get(out, flags), opI32Const), int64(flag))
		return set(append(out, opI32Or), flags)
	}
	refill := func(out []byte) []byte { return appendU32(append(out, opCall), w.helper(helpRefill)) }
	owed := func(out []byte) []byte {
		return append(refill(append(get(out, fuel), opI64Const, 0, opI64LtS, opIf, 0x40)), opEnd)
	}
	tick := uint32(len(w.imports))

	// helpRefill: fuel += tick(fuel)
	b := appendU32(append(get([]byte{0}, fuel), opCall), tick)
	w.addBody(append(set(append(get(b, fuel), opI64Add), fuel), opEnd))

	// helpOwed: refills if the counter is below zero
	w.addBody(append(owed([]byte{0}), opEnd))

	// helpEnter: refills if the counter is below zero; if room is, flags |= FlagDepth, trap
	b = append(get(owed([]byte{0}), w.global(globalRoom)), opI64Const, 0, opI64LtS, opIf, 0x40)
	w.addBody(append(raise(b, FlagDepth), opUnreachable, opEnd, opEnd))

	// helpCharge: n → n, fuel -= n >> bulkShift
	b = append(get([]byte{0}, fuel), opLocalGet, 0, opI64ExtendI32, opI64Const, bulkShift, opI64ShrU, opI64Sub)
	w.addBody(append(owed(set(b, fuel)), opLocalGet, 0, opEnd))

	// helpGrow: pages → what memory.grow returns; a request beyond the limit costs nothing
	b = []byte{0}
	if w.memory != nil {
		b = appendS64(append(b, opLocalGet, 0, opI32Const), int64(w.pages))
		b = append(get(append(b, opI32GtU, opI32Eqz, opIf, 0x40), fuel), opLocalGet, 0, opI64ExtendI32)
		b = appendS64(append(b, opI64Const), costPage)
		b = owed(set(append(b, opI64Mul, opI64Sub), fuel))
		b = append(b, opEnd, opLocalGet, 0, opMemoryGrow, 0)
		b = appendU32(append(b, opCall), w.helper(helpGrown))
	} else {
		b = append(b, opI32Const, 0x7f)
	}
	w.addBody(append(b, opEnd))

	// helpGrown: what a grow returned → the same, flags |= FlagGrew for -1
	b = append([]byte{0}, opLocalGet, 0, opI32Const, 0x7f, opI32Eq, opIf, 0x40)
	w.addBody(append(raise(b, FlagGrew), opEnd, opLocalGet, 0, opEnd))
}

func (w *weaver) addBody(b []byte) {
	w.code = appendU32(w.code, uint32(len(b)))
	w.code = append(w.code, b...)
}
