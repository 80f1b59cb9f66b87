;; Kotlin, and bundlers: imports from files of JavaScript.
(module (import "./tool.uninstantiated.mjs" "log" (func (param i32))) (func (export "start")))
