package jsbytes

import (
	"errors"
	"syscall/js"
)

// Array returns a new Uint8Array with a copy of data.
func Array(data []byte) js.Value {
	v := js.Global().Get("Uint8Array").New(len(data))
	js.CopyBytesToJS(v, data)
	return v
}

// Bytes returns a copy of the content of a Uint8Array, and nil for any other value.
func Bytes(v js.Value) []byte {
	if !v.InstanceOf(js.Global().Get("Uint8Array")) {
		return nil
	}
	data := make([]byte, v.Length())
	js.CopyBytesToGo(data, v)
	return data
}

// Await waits for a promise and returns its value. If the promise is rejected, Await returns
// an error whose message is the reason as a string. Do not call it in a JavaScript callback
// (js.FuncOf): it would block the event loop.
func Await(p js.Value) (js.Value, error) {
	type outcome struct {
		value js.Value
		err   error
	}
	ch := make(chan outcome, 1)
	yes := js.FuncOf(func(_ js.Value, a []js.Value) any { ch <- outcome{value: first(a)}; return nil })
	no := js.FuncOf(func(_ js.Value, a []js.Value) any {
		ch <- outcome{err: errors.New(js.Global().Get("String").Invoke(first(a)).String())}
		return nil
	})
	defer yes.Release()
	defer no.Release()
	p.Call("then", yes, no)
	o := <-ch
	return o.value, o.err
}

func first(a []js.Value) js.Value {
	if len(a) == 0 {
		return js.Undefined()
	}
	return a[0]
}
