package guard

const (
	typeI32       = 0x7f
	typeI64       = 0x7e
	typeV128      = 0x7b
	typeFuncref   = 0x70
	typeExternref = 0x6f
)

func isValueType(b byte) bool { return b >= typeV128 && b <= typeI32 || isRefType(b) }

func isRefType(b byte) bool { return b == typeFuncref || b == typeExternref }

func (m *module) readTypes(r *reader) {
	n := r.count("types", MaxTypes)
	m.types = make([]funcType, 0, n)
	for range n {
		switch b := r.byte(); b {
		case 0x60:
		case 0x4e, 0x4f, 0x50, 0x5e, 0x5f:
			r.refuse(noCollector, "it has a type of form %#x, which belongs to garbage collection", b)
		default:
			r.fail("type form %#x is not defined in WebAssembly 2.0", b)
		}
		t := funcType{params: r.valueTypes("parameters", MaxParams), results: r.valueTypes("results", MaxResults)}
		if r.err != nil {
			return
		}
		m.types = append(m.types, t)
		if m.values += len(t.params) + len(t.results); m.values > MaxTypeValues {
			r.fail("a function type has more than %d parameters and results", MaxTypeValues)
			return
		}
	}
}

func (r *reader) valueTypes(what string, limit uint32) []byte {
	b := r.next(int(r.count(what, limit)))
	for _, t := range b {
		if !isValueType(t) {
			r.badType(t)
			return nil
		}
	}
	return b
}

func (m *module) readImports(r *reader) {
	n := r.count("imports", MaxImports)
	for range n {
		im := imported{module: r.name(), name: r.name(), kind: r.byte()}
		switch im.kind {
		case 0:
			im.typ = r.index("type", len(m.types))
		case 1, 2, 3:
			hint := ownItems
			if im.kind == 2 {
				hint = ownMemory
			}
			r.refuse(hint, "it imports the %s %.100q of %.100q; a tool must have its own", itemKinds[im.kind], im.name, im.module)
		case 4:
			r.refuse(noExceptions, "it imports the exception %.100q of %.100q", im.name, im.module)
		default:
			r.fail("import kind %#x is not defined in WebAssembly 2.0", im.kind)
		}
		if im.module == "" && r.err == nil {
			r.fail("it imports %.100q from a module without a name", im.name)
		}
		if im.module == TickModule && !m.woven {
			r.fail("it imports from %q, which is golem's own", TickModule)
		}
		if r.err != nil {
			return
		}
		m.imports = append(m.imports, im)
	}
}

func (m *module) readFunctions(r *reader) {
	n := r.count("functions", MaxFunctions)
	m.functions = make([]uint32, 0, n)
	for range n {
		m.functions = append(m.functions, r.index("type", len(m.types)))
		if r.err != nil {
			return
		}
	}
}

// limits reads the limits of a table or memory and reduces the maximum to most.
func (r *reader) limits(what string, most uint32) (t table) {
	switch flag := r.byte(); flag {
	case 0:
	case 1:
		t.hasMax = true
	default:
		r.refuse(noThreads, "a %s of form %#x (shared, or with 64 bits) is not allowed", what, flag)
	}
	t.min = r.u32()
	t.max = most
	if t.hasMax {
		given := r.u32()
		if r.err == nil && given < t.min {
			r.fail("a %s with a maximum below its minimum", what)
		}
		t.max = min(given, most)
	}
	return t
}

func (m *module) readTables(r *reader) {
	n := r.count("tables", MaxTables)
	for range n {
		ref := r.byte()
		if r.err == nil && !isRefType(ref) {
			r.fail("a table of form %#x is not defined in WebAssembly 2.0", ref)
		}
		t := r.limits("table", MaxTableSize)
		if r.err == nil && t.min > MaxTableSize {
			r.fail("a table has %d entries; at most %d are allowed", t.min, MaxTableSize)
		}
		t.ref = ref
		m.tables = append(m.tables, t)
	}
}

func (m *module) readMemory(r *reader) {
	if r.count("memories", 1) == 1 {
		t := r.limits("memory", m.pages)
		if r.err == nil && t.min > m.pages {
			r.refuse(lessMemory, "its memory has %d pages of 64 KiB; at most %d (%d MiB) are allowed", t.min, m.pages, m.pages/16)
		}
		m.memory = &t
	}
}

func (m *module) countGlobals(r *reader) { m.globals = int(r.count("globals", MaxGlobals)) }

func (m *module) countElements(r *reader) {
	m.elements = int(r.count("element segments", MaxElements))
}

func (m *module) countData(r *reader) { m.dataSegs = int(r.count("data segments", MaxData)) }

func (m *module) readDataCount(r *reader) {
	n := r.u32()
	if r.err == nil && n > MaxData {
		r.fail("it has %d data segments; at most %d are allowed", n, MaxData)
	}
	m.dataCount = int(n)
}

func (m *module) readStart(r *reader) {
	fn := r.index("function", m.funcCount())
	if r.err != nil {
		return
	}
	if t := m.typeOf(fn); len(t.params)+len(t.results) > 0 {
		r.fail("its start function takes or returns something")
	}
	m.start = int64(fn)
}

func (m *module) readExports(r *reader) {
	n := r.count("exports", MaxExports)
	seen := make(map[string]bool, n)
	for range n {
		e := exported{name: r.name(), kind: r.byte()}
		counts := [...]int{m.funcCount(), len(m.tables), 0, m.globals}
		if m.memory != nil {
			counts[2] = 1
		}
		if r.err == nil && int(e.kind) >= len(counts) {
			r.fail("export kind %#x is not defined in WebAssembly 2.0", e.kind)
			return
		}
		if r.err != nil {
			return
		}
		e.index = r.index("exported item", counts[e.kind])
		if seen[e.name] {
			r.fail("%.100q is exported twice", e.name)
		}
		if !m.woven && (e.name == FuelExport || e.name == FlagsExport || e.name == StartExport || e.name == MemoryExport) {
			r.fail("the export name %q is golem's own", e.name)
		}
		if r.err != nil {
			return
		}
		seen[e.name] = true
		m.exports = append(m.exports, e)
	}
}

func (m *module) readBodies(r *reader) {
	n := r.count("function bodies", MaxFunctions)
	m.bodies = make([]span, 0, n)
	for range n {
		size := r.u32()
		if r.err == nil && size > MaxBody {
			r.fail("a function has %d bytes; at most %d are allowed", size, MaxBody)
		}
		from := r.pos
		r.next(int(size))
		if r.err != nil {
			return
		}
		m.bodies = append(m.bodies, span{from, r.pos})
	}
}
