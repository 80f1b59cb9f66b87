// Command wasm is golem in a browser: the core in a dedicated worker, driven
// by messages, files in the Origin Private File System (SPEC §13). Nothing
// but web/golem.js speaks to it.
//
// A message from the page is {id, method, params, bytes?}; methods are listed
// in methods. Each gets one reply {id, result, bytes?} or {id, error}, where
// error is a fault. While a run or chat goes on, further messages carry its id:
// to the page {id, events}, lines of the trace or transient ones (SPEC §16),
// {id, ask} with a question; from the page {id, answer}, {id, say}, {id, end},
// {id, cancel}. What the page lends works the other way round: {id, lend: {n, kind,
// set, name, data}} asks for a call of a function, {id, unlend: n} ends it; the page
// answers {id, lent: {n, piece?, done?, error?}}. form counts the incompatible changes of all these.
package main

import (
	"runtime/debug"
	"syscall/js"
)

// version is set by the linker.
var version = "unknown"

// form is that of web/golem/link.js and web/worker.js; golem.js refuses another.
const form = 5

func main() {
	// The page has one tab's memory: collect a little sooner than natively.
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
