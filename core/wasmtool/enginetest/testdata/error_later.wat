;; The text of error_set is changed after the call: the text at the end of the call counts.
(module (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64))) (import "extism:host/env" "store_u8" (func $store (param i64 i32))) (import "extism:host/env" "error_set" (func $error (param i64)))
  (func (export "run") (result i32) (local $b i64) (local.set $b (call $alloc (i64.const 2))) (call $error (local.get $b))
    (call $store (local.get $b) (i32.const 110)) (call $store (i64.add (local.get $b) (i64.const 1)) (i32.const 111)) (i32.const 1)))
