package guard

// Outline lists what a file imports and exports, as far as it can be parsed. It
// also works for modules that golem rejects, so that a person can be told what
// the file is.
type Outline struct {
	Imports []Item
	Exports []Item   // their Module is empty
	Custom  []string // names of custom sections, in the file's order
}

// Item is an import or export. Kind is func, table, memory, global or tag (of
// exceptions).
type Item struct{ Module, Name, Kind string }

var itemKinds = [...]string{"func", "table", "memory", "global", "tag"}

// Outlined returns the outline of a module. It never fails: it leaves out
// everything after something that it cannot parse. It takes time proportional
// to the file's size.
func Outlined(data []byte) Outline {
	var out Outline
	if len(data) < len(header) || len(data) > MaxSize {
		return out
	}
	r := newReader(data)
	r.pos = len(header)
	for n := 0; r.more() && n < MaxSections; n++ {
		id, size := r.byte(), r.u32()
		from := r.pos
		r.next(int(size))
		if r.err != nil {
			break
		}
		in := &reader{data: data, pos: from, end: r.pos}
		switch id {
		case secCustom:
			if name := in.name(); in.err == nil && len(out.Custom) < 256 {
				out.Custom = append(out.Custom, name)
			}
		case secImport:
			out.Imports = in.outlinedImports()
		case secExport:
			out.Exports = in.outlinedExports()
		}
	}
	return out
}

func (r *reader) outlinedImports() (out []Item) {
	for range r.count("imports", 10*MaxImports) {
		item := Item{Module: r.name(), Name: r.name()}
		kind := r.byte()
		switch kind {
		case 0:
			r.u32()
		case 1:
			r.byte()
			r.anyLimits()
		case 2:
			r.anyLimits()
		case 3:
			r.next(2)
		case 4:
			r.byte()
			r.u32()
		default:
			return out
		}
		if r.err != nil {
			return out
		}
		item.Kind = itemKinds[kind]
		out = append(out, item)
	}
	return out
}

// anyLimits skips limits of any form, also shared ones and those with 64 bits.
func (r *reader) anyLimits() {
	flag := r.byte()
	r.skipLong()
	if flag&1 != 0 {
		r.skipLong()
	}
}

// skipLong skips an unsigned LEB128 of at most 10 bytes.
func (r *reader) skipLong() {
	for range 10 {
		if r.byte() < 0x80 {
			return
		}
	}
}

func (r *reader) outlinedExports() (out []Item) {
	for range r.count("exports", MaxExports) {
		item := Item{Name: r.name()}
		kind := r.byte()
		r.u32()
		if r.err != nil || int(kind) >= len(itemKinds) {
			return out
		}
		item.Kind = itemKinds[kind]
		out = append(out, item)
	}
	return out
}
