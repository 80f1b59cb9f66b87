package guard

import (
	"bytes"
	"io"
	"maps"
	"slices"
	"strings"

	"golem/core/fault"
)

// Info describes a module that was parsed, but neither compiled nor run.
type Info struct {
	Size      int  // in bytes
	Component bool // this is a component, which golem does not run; no other field is set
	Imports   []Import
	Exports   []Export // in the order of the file
	Memory    *Memory  // nil: it has none
	Functions int      // number of its own functions
	Custom    []string // names of custom sections, sorted
	Start     bool     // it has a start function
}

// Import is one function that the host must provide. Types are written as in
// the text format, "i64 i32".
type Import struct {
	Module  string `json:"module"`
	Name    string `json:"name"`
	Params  string `json:"params,omitempty"`
	Results string `json:"results,omitempty"`
}

// Export is one exported item. Params and Results are set for a function.
type Export struct {
	Name            string
	Kind            string // func, table, memory, global
	Params, Results string
	Imported        bool // a function that the module itself imports
}

// Memory is the size of a memory in pages of 64 KiB. Max is already reduced to
// MaxMemoryPages, or to Min if that is larger.
type Memory struct {
	Min uint32 `json:"min"`
	Max uint32 `json:"max"`
}

// Inspect parses a module's imports, exports and other outer parts. It takes
// time proportional to the file's size and runs nothing. If it cannot parse the
// file, the error is E_TOOL_MODULE with the offset.
func Inspect(data []byte) (Info, error) { return InspectFor(data, MaxMemoryPages) }

// InspectFor does the same as Inspect, but accepts an initial memory of up to that many
// pages.
func InspectFor(data []byte, pages uint32) (Info, error) {
	if bytes.HasPrefix(data, componentHeader) {
		return Info{Size: len(data), Component: true}, nil
	}
	m, err := parseFor(data, pages)
	if err != nil {
		return Info{}, err
	}
	info := m.info()
	if mem := info.Memory; mem != nil {
		mem.Max = min(mem.Max, max(mem.Min, MaxMemoryPages))
	}
	return info, nil
}

// Woven does the same as Inspect for bytes that Weave returned. It is for an engine that
// needs the types of imports and exports, including those that Weave added. It does not
// check functions and data again.
func Woven(guarded []byte) (Info, error) {
	m, err := sections(guarded)
	if err != nil {
		return Info{}, refused(err)
	}
	m.woven, m.pages = true, MostMemoryPages
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

// Exported returns the function that the module exports under a name.
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

// Custom returns the content of a module's custom section, or nil. If there are
// several sections of the same name, it returns the last one.
func Custom(data []byte, name string) ([]byte, error) {
	s, err := ReadSurface(bytes.NewReader(data), int64(len(data)), name)
	return s.Custom, err
}

// Surface is the part of a module that can be read without reading the whole
// file.
type Surface struct {
	Custom  []byte // content of the requested custom section; nil: it has none
	Imports []Item // the imports, as far as they can be parsed
}

// ReadSurface jumps from section to section and reads only the imports and the
// custom section with that name, so that the tools of a big module are found
// quickly. It does not check the rest of the file.
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
			if imports, err := section(r, body, body+length); err == nil { // otherwise it is refused when it is run
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

// AppendCustom returns the module with a custom section added at its end.
// Existing sections with the same name are removed.
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
		r.next(int(size))
		if id == secCustom && in.name() == name && in.err == nil {
			continue
		}
		out = append(out, data[from:r.pos]...)
	}
	body := append(appendName(nil, name), content...)
	out = appendU32(append(out, secCustom), uint32(len(body)))
	return append(out, body...), r.err
}
