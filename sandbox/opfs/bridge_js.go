package opfs

import (
	"sync"
	"syscall/js"
	"unsafe"
)

// bridge carries answers from JavaScript to the goroutines that wait for
// them: one callback for all calls, since making one a call costs more than
// the call. It is shared by a tree and its nested trees.
type bridge struct {
	done js.Func

	mu      sync.Mutex
	last    int
	waiting map[int]chan answer
}

type answer struct {
	failure string // "" or the error's name
	value   js.Value
}

func newBridge() *bridge {
	b := &bridge{waiting: map[int]chan answer{}}
	b.done = js.FuncOf(func(_ js.Value, args []js.Value) any {
		id := args[0].Int()
		b.mu.Lock()
		ch := b.waiting[id]
		delete(b.waiting, id)
		b.mu.Unlock()
		if ch != nil {
			ch <- answer{args[1].String(), args[2]}
		}
		return nil
	})
	return b
}

// call runs an operation of a tree and waits for its answer. OPFS operations
// cannot be cancelled; all of them end.
func (b *bridge) call(tree js.Value, op string, args ...any) answer {
	ch := make(chan answer, 1)
	b.mu.Lock()
	b.last++
	id := b.last
	b.waiting[id] = ch
	b.mu.Unlock()
	tree.Call("run", append([]any{id, op}, args...)...)
	return <-ch
}

// bytesOf copies what a Uint8Array holds.
func bytesOf(v js.Value) []byte {
	data := make([]byte, v.Length())
	js.CopyBytesToGo(data, v)
	return data
}

// arrayOf copies data into a Uint8Array.
func arrayOf(data []byte) js.Value {
	v := js.Global().Get("Uint8Array").New(len(data))
	js.CopyBytesToJS(v, data)
	return v
}

// big is the size, in bytes, from which data goes straight between OPFS and
// Go's memory, if the host lent it: see Script.
const big = 1 << 20

// address is where data lies in Go's memory. Go moves nothing that is on its
// heap, and data of this size is nowhere else; the caller keeps it alive.
func address(data []byte) int { return int(uintptr(unsafe.Pointer(unsafe.SliceData(data)))) }
