package guard

import (
	"bytes"
	"io"
	"maps"
	"slices"
	"strings"

	"golem/core/fault"
)

// Info is what a module tells of itself without being run. It is the
// module's own word: nothing of it has been executed or compiled.
type Info struct {
	Size      int  // bytes
	Component bool // a component, which golem does not run; nothing else is filled in
	Imports   []Import
	Exports   []Export // in the file's order
	Memory    *Memory  // nil: none
	Functions int      // of its own
	Custom    []string // names of custom sections, sorted
	Start     bool     // it has a start function
}

// Import is one function that the host must supply. Types are written as in
// the text format, "i64 i32".
type Import struct {
	Module  string `json:"module"`
	Name    string `json:"name"`
	Params  string `json:"params,omitempty"`
	Results string `json:"results,omitempty"`
}

// Export is one exported item. Params and Results are a function's.
type Export struct {
	Name            string
	Kind            string // func, table, memory, global
	Params, Results string
	Imported        bool // a function that the module imports, handed on
}

// Memory is a memory's size in pages of 64 KiB; Max is clamped.
type Memory struct {
	Min uint32 `json:"min"`
	Max uint32 `json:"max"`
}

// Inspect reads a module's outside. It is bounded by the file's size and runs
// nothing; what it cannot read is E_TOOL_MODULE with the offset.
func Inspect(data []byte) (Info, error) {
	if bytes.HasPrefix(data, componentHeader) {
		return Info{Size: len(data), Component: true}, nil
	}
	m, err := parse(data)
	if err != nil {
		return Info{}, err
	}
	return m.info(), nil
}

// Woven is Inspect for what Weave returned, for an engine that must know the
// types of imports and exports: golem's own are among them. It does not look
// at functions and data again.
func Woven(guarded []byte) (Info, error) {
	m, err := sections(guarded)
	if err != nil {
		return Info{}, refused(err)
	}
	m.woven = true
	if err := m.read(false); err != nil {
		return Info{}, err
	}
	return m.info(), nil
}

func (m *module) info() Info {
	info := Info{
		Size: len(m.data), Functions: len(m.functions), Start: m.start >= 0,
		Custom: slices.Sorted(maps.Keys(m.custom)),
	}
	if m.memory != nil {
		info.Memory = &Memory{m.memory.min, m.memory.max}
	}
	for _, im := range m.imports {
		t := m.types[im.typ]
		info.Imports = append(info.Imports, Import{im.module, im.name, typeNames(t.params), typeNames(t.results)})
	}
	for _, e := range m.exports {
		x := Export{Name: e.name, Kind: [...]string{"func", "table", "memory", "global"}[e.kind]}
		if e.kind == 0 {
			t := m.typeOf(e.index)
			x.Params, x.Results = typeNames(t.params), typeNames(t.results)
			x.Imported = int(e.index) < len(m.imports)
		}
		info.Exports = append(info.Exports, x)
	}
	return info
}

// Exported tells whether the module exports a function of that name.
func (i Info) Exported(name string) (Export, bool) {
	for _, e := range i.Exports {
		if e.Name == name && e.Kind == "func" {
			return e, true
		}
	}
	return Export{}, false
}

func typeNames(types []byte) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = map[byte]string{
			typeI32: "i32", typeI64: "i64", 0x7d: "f32", 0x7c: "f64", typeV128: "v128",
			typeFuncref: "funcref", typeExternref: "externref",
		}[t]
	}
	return strings.Join(names, " ")
}

// Custom is the content of a module's custom section, nil if there is none.
// Of two sections of one name the last counts.
func Custom(data []byte, name string) ([]byte, error) {
	s, err := ReadSurface(bytes.NewReader(data), int64(len(data)), name)
	return s.Custom, err
}

// Surface is what a module shows without being read whole.
type Surface struct {
	Custom  []byte // the content of the custom section that was asked for; nil: there is none
	Imports []Item // as far as they can be read
}

// ReadSurface goes from section to section and reads of them only the imports and
// the custom section of that name, so that a big module tells its tools cheaply.
// It does not judge the rest of the file.
func ReadSurface(r io.ReaderAt, size int64, custom string) (Surface, error) {
	var out Surface
	if size > MaxSize {
		return out, fault.New(fault.ToolModule, "the module has %d bytes; at most %d are allowed", size, MaxSize)
	}
	var head [16 + MaxName]byte
	n, err := r.ReadAt(head[:8], 0)
	if n < 8 && err != nil && err != io.EOF {
		return out, fault.New(fault.ToolModule, "the module cannot be read: %w", err)
	}
	if !bytes.Equal(head[:n], header) {
		return out, noModule(head[:n])
	}
	sections := 0
	for at := int64(8); at < size; {
		if sections++; sections > MaxSections {
			return out, fault.New(fault.ToolModule, "the module has more than %d sections", MaxSections)
		}
		n, err := r.ReadAt(head[:min(int64(len(head)), size-at)], at)
		if n == 0 {
			return out, fault.New(fault.ToolModule, "the module cannot be read: %w", err)
		}
		h := newReader(head[:n])
		id, length := h.byte(), int64(h.u32())
		body := at + int64(h.pos)
		if h.err != nil || length > size-body {
			return out, fault.New(fault.ToolModule, "the file ends inside the section at byte %d", at)
		}
		switch {
		case id == secCustom:
			if got := h.name(); h.err == nil && got == custom {
				from := at + int64(h.pos)
				if out.Custom, err = section(r, from, body+length); err != nil {
					return out, err
				}
			}
		case id == secImport && out.Imports == nil:
			if imports, err := section(r, body, body+length); err == nil { // else what runs it refuses it
				out.Imports = newReader(imports).outlinedImports()
			}
		}
		at = body + length
	}
	return out, nil
}

func section(r io.ReaderAt, from, to int64) ([]byte, error) {
	if to < from || to-from > MaxCustom {
		return nil, fault.New(fault.ToolModule, "a custom section has %d bytes; at most %d are allowed", to-from, MaxCustom)
	}
	b := make([]byte, to-from)
	if n, err := r.ReadAt(b, from); n < len(b) {
		return nil, fault.New(fault.ToolModule, "the module cannot be read: %w", err)
	}
	return b, nil
}

// AppendCustom is the module with a custom section of that name at its end;
// sections of the same name go.
func AppendCustom(data []byte, name string, content []byte) ([]byte, error) {
	if len(content) > MaxCustom {
		return nil, fault.New(fault.ToolModule, "a custom section has %d bytes; at most %d are allowed", len(content), MaxCustom)
	}
	if _, err := sections(data); err != nil {
		return nil, refused(err)
	}
	out := append(make([]byte, 0, len(data)+len(name)+len(content)+16), header...)
	r := newReader(data)
	r.pos = len(header)
	for r.more() {
		from := r.pos
		id := r.byte()
		size := r.u32()
		in := &reader{data: data, pos: r.pos, end: r.pos + int(size)}
		r.take(int(size))
		if id == secCustom && in.name() == name && in.err == nil {
			continue
		}
		out = append(out, data[from:r.pos]...)
	}
	body := append(appendName(nil, name), content...)
	out = appendU32(append(out, secCustom), uint32(len(body)))
	return append(out, body...), r.err
}
