;; An error message of 32 MiB set again and again: the stored message is cut.
(module (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64))) (import "extism:host/env" "error_set" (func $error_set (param i64))) (func (export "run") (result i32) (local $b i64) (local.set $b (call $alloc (i64.const 33554432))) (loop $l (call $error_set (local.get $b)) (br $l)) (i32.const 0)))
