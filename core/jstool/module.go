package jstool

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// Sections of a module that linking reads or changes.
const (
	sectionGlobal = 6
	sectionExport = 7
	sectionData   = 11
)

type section struct {
	id   byte
	body []byte
}

// withSlot returns the engine with content in its slot, behind its length.
func withSlot(engine, data []byte) ([]byte, error) {
	sections, err := split(engine)
	if err != nil {
		return nil, err
	}
	at, err := slot(sections)
	if err != nil {
		return nil, err
	}
	content := append(binary.LittleEndian.AppendUint32(nil, uint32(len(data))), data...)
	out := bytes.Clone(engine[:8])
	for _, s := range sections {
		if s.id == sectionData {
			s.body = withSegment(s.body, at, content)
		}
		out = appendSection(out, s)
	}
	return out, nil
}

// withCustom returns a module with one more custom section.
func withCustom(module []byte, name string, content []byte) []byte {
	body := binary.AppendUvarint(nil, uint64(len(name)))
	body = append(append(body, name...), content...)
	return appendSection(module, section{body: body})
}

func appendSection(out []byte, s section) []byte {
	out = append(out, s.id)
	out = binary.AppendUvarint(out, uint64(len(s.body)))
	return append(out, s.body...)
}

// errEngine is the error for an engine that was built in another way than make jsengine does.
var errEngine = errors.New("the JavaScript engine is damaged or of another version of golem")

// split returns the sections of a module.
func split(module []byte) ([]section, error) {
	if len(module) < 8 {
		return nil, errEngine
	}
	var out []section
	for rest := module[8:]; len(rest) > 0; {
		n, size := binary.Uvarint(rest[1:])
		if size <= 0 || n > uint64(len(rest)-1-size) {
			return nil, errEngine
		}
		body := rest[1+size:]
		out = append(out, section{id: rest[0], body: body[:n:n]})
		rest = body[n:]
	}
	return out, nil
}

// slot returns the address of golem_slot: the value of the global of this name.
func slot(sections []section) (int64, error) {
	var globals, exports []byte
	for _, s := range sections {
		switch s.id {
		case sectionGlobal:
			globals = s.body
		case sectionExport:
			exports = s.body
		}
	}
	index, ok := exported(exports, "golem_slot")
	if !ok {
		return 0, errEngine
	}
	r := reader{rest: globals}
	count := r.unsigned()
	for i := uint64(0); i < count && r.err == nil; i++ {
		r.bytes(2)       // type and whether it changes
		op := r.bytes(1) // i32.const
		value := r.signed()
		end := r.bytes(1)
		if r.err == nil && i == index && op[0] == 0x41 && end[0] == 0x0b {
			return value, nil
		}
	}
	return 0, errEngine
}

// exported returns the index of an exported global.
func exported(exports []byte, name string) (uint64, bool) {
	r := reader{rest: exports}
	count := r.unsigned()
	for i := uint64(0); i < count && r.err == nil; i++ {
		found := string(r.bytes(r.unsigned()))
		kind := r.bytes(1)
		index := r.unsigned()
		if r.err == nil && found == name && kind[0] == 3 {
			return index, true
		}
	}
	return 0, false
}

// withSegment returns a data section with one more active segment at an address.
func withSegment(body []byte, at int64, content []byte) []byte {
	r := reader{rest: body}
	count := r.unsigned()
	out := binary.AppendUvarint(nil, count+1)
	out = append(out, r.rest...)
	out = append(out, 0, 0x41) // an active segment of memory 0, at an i32.const
	out = appendSigned(out, at)
	out = append(out, 0x0b)
	out = binary.AppendUvarint(out, uint64(len(content)))
	return append(out, content...)
}

// appendSigned appends a signed LEB128 number.
func appendSigned(out []byte, v int64) []byte {
	for {
		b := byte(v & 0x7f)
		v >>= 7
		if v == 0 && b&0x40 == 0 || v == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

// reader reads the parts of a section. After its first error it returns empty parts.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) bytes(n uint64) []byte {
	if r.err != nil || n > uint64(len(r.rest)) {
		r.err = errEngine
		return nil
	}
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out
}

func (r *reader) unsigned() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.err = errEngine
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *reader) signed() int64 {
	var v int64
	for shift := 0; shift < 64; shift += 7 {
		b := r.bytes(1)
		if r.err != nil {
			return 0
		}
		v |= int64(b[0]&0x7f) << shift
		if b[0]&0x80 == 0 {
			if b[0]&0x40 != 0 && shift < 57 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
	r.err = errEngine
	return 0
}
