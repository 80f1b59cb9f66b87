// Command wasm is golem in a browser: the core in a dedicated web worker. It is driven by
// messages and keeps files in the Origin Private File System (SPEC §13). Only web/golem.js
// talks to it.
//
// A message from the page is {id, method, params, bytes?}; the map methods has all methods.
// Each gets one reply {id, result, bytes?} or {id, error}, where error is a fault. While a
// call is open, more messages have its id. To the page: {id, events}, lines of the trace or
// transient ones (SPEC §16); {id, ask}, a question; {id, withdrawn}, the id of a question
// that no longer counts; {id, artifact}; {id, progress}. From the page: {id, answer},
// {id, say, after?, attachments?, bytes?}, {id, stop}, {id, end}, {id, cancel}. Calls of functions of the page go the
// other way: {id, lend: {n, kind, set, name, data}} asks for a call, {id, unlend: n} ends it;
// the page answers {id, lent: {n, piece?, done?, error?}}. The constant form is the version
// of these messages; it rises with each incompatible change.
package main

import (
	"runtime/debug"
	"syscall/js"
)

// version, commit and date (of the commit) are set by the linker.
var version, commit, date = "unknown", "", ""

// form is the version of the messages. It must be equal to the numbers in
// web/golem/link.js and web/worker.js; golem.js refuses another number.
const form = 6

func main() {
	// A tab has less memory than a native process: collect garbage sooner.
	debug.SetGCPercent(60)
	s := newServer(js.Global())
	receive := js.FuncOf(func(_ js.Value, args []js.Value) any {
		s.receive(args[0])
		return nil
	})
	js.Global().Set("golemReceive", receive)
	js.Global().Call("postMessage", map[string]any{"ready": true, "form": form, "worker": js.Global().Get("golemForm")})
	select {}
}
