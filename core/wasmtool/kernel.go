package wasmtool

import (
	"encoding/binary"
	"math/bits"
)

// Kernel is the memory between an Extism plug-in and its host: blocks named by
// 8-aligned handles, 0 meaning none. It lies outside the plug-in's own memory.
// What a plug-in may hold in it is bounded; every access is checked.
type Kernel struct {
	data  []byte
	sizes map[int64]int64   // of the blocks in use
	free  map[int64][]int64 // room of a size → handles that were freed
	vars  map[string][]byte // live as long as the instance
	room  int64             // of vars
}

// Limits of a kernel.
const (
	kernelBytes  = 64 << 20
	kernelBlocks = 1 << 18
	kernelVars   = 1 << 20 // bytes of all variables
)

// Reset forgets every block; variables stay.
func (k *Kernel) Reset() {
	if len(k.data) > kernelKept {
		k.data = nil
	}
	k.data = append(k.data[:0], make([]byte, 8)...)
	k.sizes = map[int64]int64{}
	k.free = map[int64][]int64{}
}

// roomFor rounds a size up, by an eighth at most where it is not small, so that
// a freed block serves again for nearly the same size: blocks never merge.
func roomFor(n int64) int64 {
	step := int64(8)
	if n > 64 {
		step = int64(1) << (bits.Len64(uint64(n-1)) - 4)
	}
	return (n + step - 1) &^ (step - 1)
}

// Alloc makes a block of n zero bytes; 0 bytes are no block.
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

// Put makes a block that holds b.
func (k *Kernel) Put(b []byte) (int64, error) {
	at, err := k.Alloc(int64(len(b)))
	if err == nil {
		copy(k.data[at:], b)
	}
	return at, err
}

// Free gives a block back; what is no block is left alone.
func (k *Kernel) Free(at int64) {
	n, ok := k.sizes[at]
	if !ok {
		return
	}
	delete(k.sizes, at)
	room := roomFor(n)
	k.free[room] = append(k.free[room], at)
}

// Length is a block's size, 0 if there is no such block.
func (k *Kernel) Length(at int64) int64 { return k.sizes[at] }

// All is the memory as it is, blocks in use or not.
func (k *Kernel) All() []byte { return k.data }

// Bytes is a block's content, shared; nil for none.
func (k *Kernel) Bytes(at int64) []byte {
	n, ok := k.sizes[at]
	if !ok {
		return nil
	}
	return k.data[at : at+n]
}

// Range is n bytes from an offset on.
func (k *Kernel) Range(at, n int64) ([]byte, error) {
	if at < 0 || n < 0 || at > int64(len(k.data)) || n > int64(len(k.data))-at {
		return nil, outside(at, n)
	}
	return k.data[at : at+n], nil
}

// Load reads size bytes (1 or 8), little-endian.
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

// Store writes size bytes (1 or 8), little-endian.
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

// Var is a variable's value, nil if it has none.
func (k *Kernel) Var(name string) []byte { return k.vars[name] }

// SetVar keeps a copy of a value; nil deletes.
func (k *Kernel) SetVar(name string, v []byte) error {
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
