package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// prepare is the export of engine.c that is called once, here; instances begin with the memory
// that it leaves.
const prepare = "golem_prepare"

// stack is the size of the C stack in bytes, as the linker is told.
const stack = 1 << 20

// Sections of a module that prepared reads or changes.
const (
	sectionMemory = 5
	sectionGlobal = 6
	sectionExport = 7
	sectionData   = 11
)

// prepared returns the engine with the memory that its export golem_prepare leaves, and without
// this export. wazero's clock and random numbers are always the same, so that the result is, too.
func prepared(ctx context.Context, engine []byte) ([]byte, error) {
	memory, err := prepareIn(ctx, engine)
	if err != nil {
		return nil, err
	}
	out := bytes.Clone(engine[:8])
	for rest := engine[8:]; len(rest) > 0; {
		size, n := binary.Uvarint(rest[1:])
		if n <= 0 || size > uint64(len(rest)-1-n) {
			return nil, errors.New("the engine has a damaged section")
		}
		id, body := rest[0], rest[1+n:][:size]
		rest = rest[1+n:][size:]
		switch id {
		case 0:
			continue
		case sectionMemory:
			body = binary.AppendUvarint([]byte{1, 0}, uint64(len(memory)>>16))
		case sectionGlobal:
			top, err := stackTop(body)
			if err != nil {
				return nil, err
			}
			clear(memory[top-stack : top]) // what was on it is over
		case sectionExport:
			if body, err = without(body, prepare); err != nil {
				return nil, err
			}
		case sectionData: // after the globals
			body = segments(memory)
		}
		out = append(append(out, id), binary.AppendUvarint(nil, uint64(len(body)))...)
		out = append(out, body...)
	}
	return out, nil
}

// prepareIn returns the memory that golem_prepare leaves.
func prepareIn(ctx context.Context, engine []byte) ([]byte, error) {
	r := wazero.NewRuntime(ctx)
	defer r.Close(ctx)
	code, err := r.CompileModule(ctx, engine)
	if err != nil {
		return nil, err
	}
	hosts := map[string]wazero.HostModuleBuilder{}
	for _, f := range code.ImportedFunctions() {
		module, name, _ := f.Import()
		if module == wasi_snapshot_preview1.ModuleName {
			continue
		}
		if hosts[module] == nil {
			hosts[module] = r.NewHostModuleBuilder(module)
		}
		hosts[module].NewFunctionBuilder().WithGoFunction(api.GoFunc(func(context.Context, []uint64) {
			panic(fmt.Sprintf("%s needs %s of the host", prepare, name))
		}), f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	for _, h := range hosts {
		if _, err := h.Instantiate(ctx); err != nil {
			return nil, err
		}
	}
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, r); err != nil {
		return nil, err
	}
	m, err := r.InstantiateModule(ctx, code, wazero.NewModuleConfig().WithStartFunctions()) // _initialize runs in each instance
	if err != nil {
		return nil, err
	}
	result, err := m.ExportedFunction(prepare).Call(ctx)
	if err != nil {
		return nil, err
	}
	if result[0] != 0 {
		return nil, errors.New(prepare + " failed")
	}
	memory, _ := m.Memory().Read(0, m.Memory().Size())
	return bytes.Clone(memory), nil
}

// stackTop returns the initial value of the only variable global, which is the C stack's
// pointer: after a call it is there again.
func stackTop(globals []byte) (top int, err error) {
	r := bytes.NewReader(globals)
	count, _ := binary.ReadUvarint(r)
	found := 0
	for range count {
		kind, _ := r.ReadByte()
		variable, _ := r.ReadByte()
		op, _ := r.ReadByte()
		value, _ := signed(r)
		end, err := r.ReadByte()
		if err != nil || kind != 0x7f || op != 0x41 || end != 0x0b {
			return 0, errors.New("the engine has a global that is no constant i32")
		}
		if variable == 1 {
			top = value
			found++
		}
	}
	if found != 1 || top < stack {
		return 0, errors.New("the engine has not exactly one variable global, the stack's pointer")
	}
	return top, nil
}

// signed reads a signed LEB128 number.
func signed(r *bytes.Reader) (int, error) {
	v := int64(0)
	for shift := 0; ; shift += 7 {
		b, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		v |= int64(b&0x7f) << shift
		if b < 0x80 {
			if b&0x40 != 0 {
				v |= -1 << (shift + 7)
			}
			return int(v), nil
		}
	}
}

// without returns an export section without one of its functions.
func without(exports []byte, name string) ([]byte, error) {
	r := bytes.NewReader(exports)
	count, _ := binary.ReadUvarint(r)
	out := binary.AppendUvarint(nil, count-1)
	found := false
	for range count {
		from := len(exports) - r.Len()
		size, _ := binary.ReadUvarint(r)
		own := make([]byte, size)
		r.Read(own)
		r.ReadByte()
		if _, err := binary.ReadUvarint(r); err != nil {
			return nil, errors.New("the engine has a damaged section of exports")
		}
		if string(own) == name {
			found = true
			continue
		}
		out = append(out, exports[from:len(exports)-r.Len()]...)
	}
	if !found {
		return nil, errors.New("the engine does not export " + name)
	}
	return out, nil
}

// gap is how many zeros in a row are left out of the data.
const gap = 32

// segments returns a data section with what is not zero of a memory.
func segments(memory []byte) []byte {
	var out []byte
	count := uint64(0)
	for at := 0; at < len(memory); {
		if memory[at] == 0 {
			at++
			continue
		}
		end := at
		for zeros := 0; end < len(memory) && zeros < gap; end++ {
			if zeros++; memory[end] != 0 {
				zeros = 0
			}
		}
		data := bytes.TrimRight(memory[at:end], "\x00")
		out = append(out, 0, 0x41)
		out = appendSigned(out, at)
		out = append(out, 0x0b)
		out = binary.AppendUvarint(out, uint64(len(data)))
		out = append(out, data...)
		count++
		at = end
	}
	return append(binary.AppendUvarint(nil, count), out...)
}

// appendSigned appends a signed LEB128 number that is not negative.
func appendSigned(out []byte, v int) []byte {
	for ; v >= 0x40; v >>= 7 {
		out = append(out, byte(v)|0x80)
	}
	return append(out, byte(v))
}
