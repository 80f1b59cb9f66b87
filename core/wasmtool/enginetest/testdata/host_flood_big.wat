;; 32 MiB allocated, cleared and freed in a loop.
(module (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64))) (import "extism:host/env" "free" (func $free (param i64))) (func (export "run") (result i32) (loop $l (call $free (call $alloc (i64.const 33554432))) (br $l)) (i32.const 0)))
