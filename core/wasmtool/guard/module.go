package guard

import (
	"bytes"
	"fmt"

	"golem/core/fault"
)

// Section ids. Sections must be in this order, except data count, which is before code.
const (
	secCustom = iota
	secType
	secImport
	secFunction
	secTable
	secMemory
	secGlobal
	secExport
	secStart
	secElement
	secCode
	secData
	secDataCount
)

var sectionNames = [...]string{"custom", "type", "import", "function", "table", "memory", "global", "export", "start", "element", "code", "data", "data count"}

// order returns a number that rises with the position of a section in a file.
func order(id byte) int {
	switch {
	case id == secDataCount:
		return 2*secCode - 1
	default:
		return 2 * int(id)
	}
}

var header = []byte{0, 'a', 's', 'm', 1, 0, 0, 0}
var componentHeader = []byte{0, 'a', 's', 'm', 0x0d, 0, 1, 0}

type span struct{ from, to int }

type funcType struct {
	params, results []byte // value types
}

type imported struct {
	module, name string
	kind         byte // 0 function; nothing else may be imported
	typ          uint32
}

type exported struct {
	name  string
	kind  byte // 0 function, 1 table, 2 memory, 3 global
	index uint32
}

type table struct {
	ref      byte
	min, max uint32
	hasMax   bool
}

// module is a parsed file. Its counts do not include what the guard adds.
type module struct {
	data     []byte
	sections [secDataCount + 1]span // without id and size; zero if absent
	custom   map[string]span
	woven    bool   // the file comes from Weave, so that golem's own names are allowed
	pages    uint32 // the limit of its memory

	types     []funcType
	values    int // parameters and results of all types
	imports   []imported
	functions []uint32 // type of each of the module's own functions
	tables    []table
	memory    *table // min and max in pages
	globals   int
	exports   []exported
	start     int64 // -1: none
	elements  int
	dataCount int // -1: there is no data count section
	dataSegs  int
	bodies    []span
}

func (m *module) has(id int) bool { return m.sections[id] != span{} }

func (m *module) reader(id int) *reader {
	s := m.sections[id]
	r := &reader{data: m.data, pos: s.from, end: s.to}
	if m.woven {
		r.own = 16
	}
	return r
}

// funcCount counts imported and own functions.
func (m *module) funcCount() int { return len(m.imports) + len(m.functions) }

// typeOf returns a function's type. The index must have been checked.
func (m *module) typeOf(fn uint32) funcType {
	if int(fn) < len(m.imports) {
		return m.types[m.imports[fn].typ]
	}
	return m.types[m.functions[int(fn)-len(m.imports)]]
}

// parse reads everything except function bodies and constant expressions, and checks
// the limits.
func parse(data []byte) (*module, error) { return parseFor(data, MaxMemoryPages) }

// parseFor does the same as parse for a module whose memory may have that many pages.
func parseFor(data []byte, pages uint32) (*module, error) {
	m, err := sections(data)
	if err != nil {
		return nil, refused(err)
	}
	m.pages = pages
	if err := m.read(true); err != nil {
		return nil, err
	}
	if len(m.bodies) != len(m.functions) {
		return nil, refused(fmt.Errorf("it declares %d functions and has %d bodies", len(m.functions), len(m.bodies)))
	}
	if m.dataCount >= 0 && m.dataCount != m.dataSegs {
		return nil, refused(fmt.Errorf("it declares %d data segments and has %d", m.dataCount, m.dataSegs))
	}
	return m, nil
}

// noModule returns the fault for a file that does not begin like a module.
func noModule(data []byte) *fault.Fault {
	const build = "build it for wasm32-wasip1, or with an Extism PDK"
	switch {
	case len(data) == 0:
		return fault.New(fault.ToolModule, "the file is empty").Hinting("build the tool again, or fetch it again: that was perhaps interrupted")
	case bytes.HasPrefix(data, componentHeader[:8]):
		return fault.New(fault.ToolModule, "it is a WebAssembly component, and golem runs only core modules").Hinting(build)
	case bytes.HasPrefix(data, header[:4]):
		return fault.New(fault.ToolModule, "it is not a WebAssembly module of version 1").Hinting(build)
	}
	return fault.New(fault.ToolModule, "it is not a WebAssembly file: it does not begin with the bytes 00 61 73 6d").
		Hinting("use the .wasm file that a compiler wrote; see golem tool new --help")
}

// read reads the sections; with inside also those that only the weaver needs.
func (m *module) read(inside bool) error {
	for _, read := range []struct {
		id int
		f  func(*reader)
	}{
		{secType, m.readTypes}, {secImport, m.readImports}, {secFunction, m.readFunctions}, {secTable, m.readTables},
		{secMemory, m.readMemory}, {secGlobal, m.countGlobals}, {secExport, m.readExports}, {secStart, m.readStart},
		{secElement, m.countElements}, {secDataCount, m.readDataCount}, {secCode, m.readBodies}, {secData, m.countData},
	} {
		if !m.has(read.id) || !inside && read.id > secExport {
			continue
		}
		r := m.reader(read.id)
		read.f(r)
		if r.err != nil {
			return refused(fmt.Errorf("its %s section: %w", sectionNames[read.id], r.err))
		}
		counted := read.id == secGlobal || read.id == secElement || read.id == secData // read whole by the weaver
		if r.pos != r.end && !counted {
			r.fail("%d bytes follow its end", r.end-r.pos)
			return refused(fmt.Errorf("its %s section: %w", sectionNames[read.id], r.err))
		}
	}
	return nil
}

// sections finds the sections of a file, and checks that each occurs once and in order.
func sections(data []byte) (*module, error) {
	if len(data) > MaxSize {
		return nil, fmt.Errorf("it has %d bytes; at most %d are allowed", len(data), MaxSize)
	}
	if !bytes.HasPrefix(data, header) {
		return nil, noModule(data)
	}
	m := &module{data: data, start: -1, dataCount: -1, custom: map[string]span{}}
	r := newReader(data)
	r.pos = len(header)
	last := 0
	for n := 1; r.more(); n++ {
		if n > MaxSections {
			r.fail("it has more than %d sections", MaxSections)
			return nil, r.err
		}
		id := r.byte()
		size := r.u32()
		from := r.pos
		r.next(int(size))
		if r.err != nil {
			return nil, r.err
		}
		if id > secDataCount {
			r.pos = from
			if id == 13 {
				r.refuse(noExceptions, "it has a section for exceptions")
				return nil, r.err
			}
			r.fail("it has a section %d, which WebAssembly 2.0 does not define", id)
			return nil, r.err
		}
		if id == secCustom {
			m.addCustom(r, span{from, r.pos})
			continue
		}
		if order(id) <= last {
			r.pos = from
			r.fail("its %s section is in the wrong place, or it has two of them", sectionNames[id])
			return nil, r.err
		}
		last = order(id)
		m.sections[id] = span{from, r.pos}
	}
	return m, r.err
}

// addCustom stores where the content of a custom section is. A section with a broken name
// is left out, not refused, because engines do not use these names. Of two sections with
// one name the last counts.
func (m *module) addCustom(r *reader, s span) {
	in := &reader{data: r.data, pos: s.from, end: s.to}
	name := in.name()
	if in.err == nil && len(m.custom) < 256 {
		m.custom[name] = span{in.pos, s.to}
	}
}
