package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// withoutLines returns a program for js/wasm without the names of source files and the
// numbers of lines. Only the stack that the browser's console prints after a crash has them:
// it then has the names of functions alone. It fails if the tables are not as Go 1.26 writes
// them, which runtime/symtab.go and _func in runtime/runtime2.go describe.
func withoutLines(program []byte) ([]byte, error) {
	start, content, end, err := dataSection(program)
	if err != nil {
		return nil, err
	}
	m, err := readMemory(program[content:end])
	if err != nil {
		return nil, err
	}
	t, err := findLineTable(m.bytes)
	if err != nil {
		return nil, err
	}
	if err := t.clear(); err != nil {
		return nil, err
	}
	data := m.segments()
	out := slices.Clone(program[:start])
	out = append(out, dataID)
	out = binary.AppendUvarint(out, uint64(len(data)))
	return slices.Concat(out, data, program[end:]), nil
}

const (
	dataID      = 11 // section of a module with the first content of its memory
	dataCountID = 12 // section with the number of segments in the other

	maxMemory = 1 << 28 // bytes
)

// dataSection returns where the section of data starts, where its content does, and where it
// ends.
func dataSection(program []byte) (start, content, end int, err error) {
	const header = 8
	if !bytes.HasPrefix(program, []byte("\x00asm\x01\x00\x00\x00")) {
		return 0, 0, 0, errors.New("the program is not WebAssembly")
	}
	for at := header; at < len(program); at = end {
		size, n := binary.Uvarint(program[at+1:])
		if n <= 0 || size > uint64(len(program)-at-1-n) {
			break
		}
		start, content = at, at+1+n
		end = content + int(size)
		switch program[at] {
		case dataCountID:
			return 0, 0, 0, errors.New("the program counts its segments of data")
		case dataID:
			return start, content, end, nil
		}
	}
	return 0, 0, 0, errors.New("the program has no section of data")
}

// memory is what a module's memory has before its start, from the address base on.
type memory struct {
	base  int
	bytes []byte
}

// readMemory reads the content of a section of data.
func readMemory(section []byte) (*memory, error) {
	type segment struct {
		at   int
		data []byte
	}
	var all []segment
	base, end := math.MaxInt, 0
	bad := errors.New("the section of data cannot be read")
	count, n := binary.Uvarint(section)
	if n <= 0 {
		return nil, bad
	}
	rest := section[n:]
	for range count {
		if len(rest) < 2 || rest[0] != 0 || rest[1] != 0x41 { // memory 0, i32.const
			return nil, bad
		}
		at, n := signed(rest[2:])
		if n <= 0 || at < 0 || len(rest) < 2+n+1 || rest[2+n] != 0x0b { // end of the expression
			return nil, bad
		}
		rest = rest[2+n+1:]
		size, n := binary.Uvarint(rest)
		if n <= 0 || size > uint64(len(rest)-n) || at+int(size) > maxMemory {
			return nil, bad
		}
		all = append(all, segment{at, rest[n : n+int(size)]})
		rest = rest[n+int(size):]
		base, end = min(base, at), max(end, at+int(size))
	}
	if len(all) == 0 || len(rest) > 0 {
		return nil, bad
	}
	m := &memory{base: base, bytes: make([]byte, end-base)}
	for _, s := range all {
		copy(m.bytes[s.at-base:], s.data)
	}
	return m, nil
}

// segments returns the content of a section of data, without runs of at least minZeros zeros.
func (m *memory) segments() []byte {
	var out []byte
	count := uint64(0)
	for at := 0; at < len(m.bytes); {
		if m.bytes[at] == 0 {
			at++
			continue
		}
		end, zeros := at, 0
		for i := at; i < len(m.bytes) && zeros < minZeros; i++ {
			if zeros++; m.bytes[i] != 0 {
				end, zeros = i+1, 0
			}
		}
		out = append(out, 0, 0x41)
		out = appendSigned(out, m.base+at)
		out = append(out, 0x0b)
		out = binary.AppendUvarint(out, uint64(end-at))
		out = append(out, m.bytes[at:end]...)
		count++
		at = end
	}
	return append(binary.AppendUvarint(nil, count), out...)
}

// minZeros is how many zeros end a segment. Go's linker ends one after 8, which makes the
// program smaller, but its compressed form larger: zeros take less there than a new segment.
const minZeros = 64

// signed reads a number in LEB128, and returns its length too, or 0.
func signed(data []byte) (value, n int) {
	for i, b := range data[:min(len(data), 5)] {
		value |= int(b&0x7f) << (7 * i)
		if b&0x80 != 0 {
			continue
		}
		if b&0x40 != 0 {
			value -= 1 << (7 * (i + 1))
		}
		return value, i + 1
	}
	return 0, 0
}

// appendSigned appends a number of at least 0 in LEB128.
func appendSigned(out []byte, value int) []byte {
	for ; value > 0x3f; value >>= 7 {
		out = append(out, byte(value&0x7f)|0x80)
	}
	return append(out, byte(value))
}

// lineTable is the table from which Go's runtime reads the stack, in four parts.
type lineTable struct {
	units     []byte // files of each compilation unit
	files     []byte // names of files
	values    []byte // for each instruction: the file, the line, and what the runtime needs
	functions []byte // an index of nfunc entries, then a record for each function
	nfunc     int
}

// findLineTable finds the table in the content of a memory.
func findLineTable(memory []byte) (*lineTable, error) {
	magic := []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}
	const header = 72
	for rest := memory; ; {
		at := bytes.Index(rest, magic)
		if at < 0 || len(rest)-at < header {
			return nil, errors.New("the program has no table of functions")
		}
		table := rest[at:]
		rest = table[len(magic):]
		var offsets [5]uint64 // names of functions, units, files, values, functions
		for i := range offsets {
			offsets[i] = binary.LittleEndian.Uint64(table[32+8*i:])
		}
		nfunc := binary.LittleEndian.Uint64(table[8:])
		if offsets[0] < header || !slices.IsSorted(offsets[:]) || offsets[4] > uint64(len(table)) || nfunc > (uint64(len(table))-offsets[4])/8 {
			continue
		}
		return &lineTable{
			units: table[offsets[1]:offsets[2]], files: table[offsets[2]:offsets[3]], values: table[offsets[3]:offsets[4]],
			functions: table[offsets[4]:], nfunc: int(nfunc),
		}, nil
	}
}

// Offsets in the record of a function, which ends with npcdata and nfuncdata numbers.
const (
	entryAt     = 0
	spAt        = 16
	fileAt      = 20
	lineAt      = 24
	npcdataAt   = 28
	unitAt      = 32
	startLineAt = 36
	nfuncdataAt = 43
	recordSize  = 44

	argInfo = 5 // the number in funcdata that says how a stack shows arguments
)

// clear makes files and lines zero, and all values that no function needs any more. The
// runtime reads the offset 0 as: there is no table.
func (t *lineTable) clear() error {
	used := make([]bool, len(t.values))
	records := make([][]byte, t.nfunc)
	for i := range records {
		entry, record, err := t.record(i)
		if err != nil {
			return err
		}
		if binary.LittleEndian.Uint32(record[entryAt:]) != entry {
			return fmt.Errorf("function %d is not where the index says", i)
		}
		records[i] = record
		offsets := [][]byte{record[spAt:]}
		for j := range int(binary.LittleEndian.Uint32(record[npcdataAt:])) {
			offsets = append(offsets, record[recordSize+4*j:])
		}
		for _, o := range offsets {
			if err := t.mark(used, binary.LittleEndian.Uint32(o)); err != nil {
				return fmt.Errorf("function %d: %w", i, err)
			}
		}
	}
	for _, r := range records {
		for _, at := range []int{fileAt, lineAt, unitAt, startLineAt} {
			binary.LittleEndian.PutUint32(r[at:], 0)
		}
		if r[nfuncdataAt] > argInfo {
			first := recordSize + 4*int(binary.LittleEndian.Uint32(r[npcdataAt:]))
			binary.LittleEndian.PutUint32(r[first+4*argInfo:], math.MaxUint32)
		}
	}
	clear(t.units)
	clear(t.files)
	for i := range t.values {
		if !used[i] {
			t.values[i] = 0
		}
	}
	return nil
}

// record returns the entry of a function as the index has it, and its record.
func (t *lineTable) record(i int) (entry uint32, record []byte, err error) {
	entry = binary.LittleEndian.Uint32(t.functions[8*i:])
	at := uint64(binary.LittleEndian.Uint32(t.functions[8*i+4:]))
	if at < uint64(8*t.nfunc+4) || at+recordSize > uint64(len(t.functions)) {
		return 0, nil, fmt.Errorf("function %d is outside the table", i)
	}
	record = t.functions[at:]
	numbers := uint64(binary.LittleEndian.Uint32(record[npcdataAt:])) + uint64(record[nfuncdataAt])
	if recordSize+4*numbers > uint64(len(record)) {
		return 0, nil, fmt.Errorf("function %d has %d numbers", i, numbers)
	}
	return entry, record, nil
}

// mark notes that the values from an offset on are used, up to the zero at their end.
func (t *lineTable) mark(used []bool, offset uint32) error {
	if offset == 0 {
		return nil
	}
	for at, first := int(offset), true; at < len(t.values); first = false {
		used[at] = true
		if t.values[at] == 0 && !first {
			return nil
		}
		for range 2 { // the change of the value, and for how many instructions it is so
			_, n := binary.Uvarint(t.values[at:])
			if n <= 0 {
				return errors.New("its values cannot be read")
			}
			for i := range n {
				used[at+i] = true
			}
			at += n
			if at >= len(t.values) {
				break
			}
		}
	}
	return errors.New("its values have no end")
}
