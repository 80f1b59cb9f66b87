package guard

// elementSection copies the element segments with the new function indices.
//
// A flag's bits: 1 passive or declarative, 2 with a table or declarative,
// 4 with expressions instead of indices.
func (w *weaver) elementSection() ([]byte, error) {
	if !w.has(secElement) {
		return nil, nil
	}
	r := w.reader(secElement)
	r.u32()
	out := appendU32(nil, uint32(w.elements))
	total := 0
	for range w.elements {
		out = w.segment(out, r, &total)
		if r.err != nil {
			return nil, r.err
		}
	}
	if r.more() {
		r.fail("%d bytes follow its end", r.end-r.pos)
	}
	return out, r.err
}

func (w *weaver) segment(out []byte, r *reader, total *int) []byte {
	flag := r.u32()
	if flag > 7 {
		r.fail("an element segment has the form %d, which does not exist", flag)
		return out
	}
	out = appendU32(out, flag)
	var target uint32
	active := flag&1 == 0
	var at uint32
	if active {
		if flag&2 != 0 {
			target = r.u32()
			out = appendU32(out, target)
		}
		if r.err == nil && int(target) >= len(w.tables) {
			r.fail("table %d does not exist", target)
			return out
		}
		var expr []byte
		expr, at = w.offset(r, 0)
		out = append(out, expr...)
	}
	if flag&3 != 0 {
		kind := r.byte()
		if plain := flag&4 == 0; r.err == nil && (plain && kind != 0 || !plain && !isRefType(kind)) {
			r.fail("element kind %#x is not defined in WebAssembly 2.0", kind)
		}
		out = append(out, kind)
	}
	n := r.count("elements", MaxElementRefs)
	if *total += int(n); *total > MaxElementRefs {
		r.fail("it has more than %d elements", MaxElementRefs)
	}
	if r.err == nil && active && uint64(at)+uint64(n) > uint64(w.tables[target].min) {
		r.fail("an element segment fills entries %d to %d of a table that has %d", at, uint64(at)+uint64(n), w.tables[target].min)
	}
	out = appendU32(out, n)
	for range n {
		if r.err != nil {
			return out
		}
		if flag&4 != 0 {
			out = w.constant(out, r, w.globals)
			continue
		}
		out = appendU32(out, w.moved(r.index("function", w.funcCount())))
	}
	return out
}
