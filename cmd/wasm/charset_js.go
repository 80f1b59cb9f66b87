package main

import "syscall/js"

// browserCharsets decodes the charsets of web pages that package web has no tables for, with
// the browser's TextDecoder.
type browserCharsets struct{}

// Decode implements web.Charsets.
func (browserCharsets) Decode(name string, data []byte) (text string, known bool) {
	defer func() { // TextDecoder throws for a name that it does not know
		if recover() != nil {
			text, known = "", false
		}
	}()
	decoder := js.Global().Get("TextDecoder").New(name)
	bytes := js.Global().Get("Uint8Array").New(len(data))
	js.CopyBytesToJS(bytes, data)
	return decoder.Call("decode", bytes).String(), true
}
