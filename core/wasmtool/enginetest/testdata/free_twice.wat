;; A block freed twice is handed out once.
(module (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64))) (import "extism:host/env" "free" (func $free (param i64))) (func (export "run") (result i32) (local $a i64) (local.set $a (call $alloc (i64.const 8))) (call $free (local.get $a)) (call $free (local.get $a)) (i64.eq (call $alloc (i64.const 8)) (call $alloc (i64.const 8)))))
