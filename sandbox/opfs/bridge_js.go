package opfs

import (
	"sync"
	"syscall/js"
	"unsafe"
)

// bridge passes answers from JavaScript to the goroutines that wait for them.
// It uses one callback for all calls, because creating a callback costs more
// than a call. A tree and its nested trees share one bridge.
type bridge struct {
	done js.Func

	mu      sync.Mutex
	last    int
	waiting map[int]chan answer
}

// answer is the result of one operation in JavaScript.
type answer struct {
	failure string // "" or the name of the JavaScript error
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

// call runs an operation on a tree and waits for its answer, unless JavaScript
// returns it at once. OPFS operations cannot be cancelled, but all of them end.
func (b *bridge) call(tree js.Value, op string, args ...any) answer {
	ch := make(chan answer, 1)
	b.mu.Lock()
	b.last++
	id := b.last
	b.waiting[id] = ch
	b.mu.Unlock()
	if now := tree.Call("run", append([]any{id, op}, args...)...); now.Truthy() {
		b.mu.Lock()
		delete(b.waiting, id)
		b.mu.Unlock()
		return answer{now.Index(0).String(), now.Index(1)}
	}
	return <-ch
}

// bytesOf copies the content of a Uint8Array.
func bytesOf(v js.Value) []byte {
	data := make([]byte, v.Length())
	js.CopyBytesToGo(data, v)
	return data
}

// arrayOf copies data into a new Uint8Array.
func arrayOf(data []byte) js.Value {
	v := js.Global().Get("Uint8Array").New(len(data))
	js.CopyBytesToJS(v, data)
	return v
}

// big is the size, in bytes, from which data is passed between OPFS and Go's
// memory without a copy, if the host provides the memory: see Script.
const big = 1 << 20

// address returns the address of data in Go's memory. Go does not move data on its
// heap, and data of at least big bytes is always on it. The caller must keep data
// alive (runtime.KeepAlive).
func address(data []byte) int { return int(uintptr(unsafe.Pointer(unsafe.SliceData(data)))) }
