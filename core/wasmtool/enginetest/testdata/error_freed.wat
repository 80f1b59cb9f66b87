;; error_set, then the error's block is freed and perhaps used again: the text at the time of error_set counts.
(module (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64))) (import "extism:host/env" "free" (func $free (param i64))) (import "extism:host/env" "store_u8" (func $store (param i64 i32))) (import "extism:host/env" "error_set" (func $error (param i64)))
  (func (export "run") (result i32) (local $b i64) (local.set $b (call $alloc (i64.const 1))) (call $store (local.get $b) (i32.const 120)) (call $error (local.get $b)) (call $free (local.get $b)) (i32.const 0)))
