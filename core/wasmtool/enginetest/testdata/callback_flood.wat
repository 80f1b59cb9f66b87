;; golem_call in a loop, each answer a block: memory or fuel ends it.
(module (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64))) (import "extism:host/user" "golem_call" (func $golem_call (param i64 i64) (result i64))) (func (export "run") (result i32) (loop $l (drop (call $golem_call (call $alloc (i64.const 8)) (call $alloc (i64.const 1048576)))) (br $l)) (i32.const 0)))
