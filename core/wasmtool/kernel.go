package wasmtool

import (
	"encoding/binary"
	"math/bits"
)

// Kernel is the memory through which an Extism plug-in and golem exchange data.
// It is separate from the plug-in's own memory and consists of blocks with
// handles that are multiples of 8; 0 means no block. Its size is limited, and
// every access is checked.
type Kernel struct {
	data  []byte
	sizes map[int64]int64   // sizes of the blocks in use
	free  map[int64][]int64 // size of a block → handles of freed blocks
	vars  map[string][]byte // kept as long as the instance
	room  int64             // bytes used by vars
}

// Limits of a kernel.
const (
	kernelBytes  = 64 << 20
	kernelBlocks = 1 << 18
	kernelVars   = 1 << 20 // bytes of all variables together
)

// Reset frees every block. Variables stay.
func (k *Kernel) Reset() {
	if len(k.data) > kernelKept {
		k.data = nil
	}
	k.data = append(k.data[:0], make([]byte, 8)...)
	k.sizes = map[int64]int64{}
	k.free = map[int64][]int64{}
}

// roomFor rounds a size up, so that a freed block can be used again for a slightly
// larger size: to a multiple of 8 bytes, or, above 64 bytes, by at most an eighth.
// Freed blocks are never merged.
func roomFor(n int64) int64 {
	step := int64(8)
	if n > 64 {
		step = int64(1) << (bits.Len64(uint64(n-1)) - 4)
	}
	return (n + step - 1) &^ (step - 1)
}

// Alloc makes a block of n zero bytes and returns its handle. For 0 bytes it
// returns 0.
func (k *Kernel) Alloc(n int64) (int64, error) {
	if n == 0 {
		return 0, nil
	}
	room := int64(-1)
	if n > 0 && n <= kernelBytes {
		room = roomFor(n)
	}
	if room < 0 || room > kernelBytes-int64(len(k.data)) && len(k.free[room]) == 0 || len(k.sizes) >= kernelBlocks {
		return 0, noRoom(n)
	}
	if list := k.free[room]; len(list) > 0 {
		at := list[len(list)-1]
		k.free[room] = list[:len(list)-1]
		clear(k.data[at : at+room])
		k.sizes[at] = n
		return at, nil
	}
	at := int64(len(k.data))
	k.data = append(k.data, make([]byte, room)...)
	k.sizes[at] = n
	return at, nil
}

// Put makes a block that contains b.
func (k *Kernel) Put(b []byte) (int64, error) {
	at, err := k.Alloc(int64(len(b)))
	if err == nil {
		copy(k.data[at:], b)
	}
	return at, err
}

// Free frees a block. It ignores handles that are not blocks.
func (k *Kernel) Free(at int64) {
	n, ok := k.sizes[at]
	if !ok {
		return
	}
	delete(k.sizes, at)
	room := roomFor(n)
	k.free[room] = append(k.free[room], at)
}

// Length returns the size of a block, or 0 if there is no such block.
func (k *Kernel) Length(at int64) int64 { return k.sizes[at] }

// All returns the complete memory, including freed blocks.
func (k *Kernel) All() []byte { return k.data }

// Bytes returns the content of a block, not a copy, or nil if there is no such
// block.
func (k *Kernel) Bytes(at int64) []byte {
	n, ok := k.sizes[at]
	if !ok {
		return nil
	}
	return k.data[at : at+n]
}

// Range returns n bytes from an offset.
func (k *Kernel) Range(at, n int64) ([]byte, error) {
	if at < 0 || n < 0 || at > int64(len(k.data)) || n > int64(len(k.data))-at {
		return nil, outsideMemory(at, n)
	}
	return k.data[at : at+n], nil
}

// Load reads a little-endian number of size bytes (1 or 8).
func (k *Kernel) Load(at int64, size int64) (uint64, error) {
	b, err := k.Range(at, size)
	if err != nil {
		return 0, err
	}
	if size == 1 {
		return uint64(b[0]), nil
	}
	return binary.LittleEndian.Uint64(b), nil
}

// Store writes a little-endian number of size bytes (1 or 8).
func (k *Kernel) Store(at int64, size int64, v uint64) error {
	b, err := k.Range(at, size)
	if err != nil {
		return err
	}
	if size == 1 {
		b[0] = byte(v)
		return nil
	}
	binary.LittleEndian.PutUint64(b, v)
	return nil
}

// variable returns the value of a variable, or nil.
func (k *Kernel) variable(name string) []byte { return k.vars[name] }

// setVariable stores a copy of a value; nil deletes the variable.
func (k *Kernel) setVariable(name string, v []byte) error {
	if k.vars == nil {
		k.vars = map[string][]byte{}
	}
	old, had := k.vars[name]
	grown := k.room - int64(len(old))
	if had {
		grown -= int64(len(name))
	}
	if v == nil {
		delete(k.vars, name)
		k.room = grown
		return nil
	}
	grown += int64(len(name) + len(v))
	if grown > kernelVars {
		return varsTooLarge()
	}
	k.vars[name] = append([]byte{}, v...)
	k.room = grown
	return nil
}
