;; Allocations and a reset in a loop: the memory in use does not grow, and fuel ends it.
(module (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64))) (import "extism:host/env" "reset" (func $reset)) (func (export "run") (result i32) (loop $l (drop (call $alloc (i64.const 4194304))) (call $reset) (br $l)) (i32.const 0)))
