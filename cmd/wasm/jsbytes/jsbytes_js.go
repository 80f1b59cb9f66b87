package jsbytes

import (
	"errors"
	"syscall/js"
)

// Array copies data into a Uint8Array.
func Array(data []byte) js.Value {
	v := js.Global().Get("Uint8Array").New(len(data))
	js.CopyBytesToJS(v, data)
	return v
}

// Bytes copies a Uint8Array; nil for anything else.
func Bytes(v js.Value) []byte {
	if !v.InstanceOf(js.Global().Get("Uint8Array")) {
		return nil
	}
	data := make([]byte, v.Length())
	js.CopyBytesToGo(data, v)
	return data
}

// Await waits for a promise. What it was rejected with becomes the error's text.
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
