;; golem_call with a name that is not UTF-8: the name is passed on unchanged.
(module (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64))) (import "extism:host/env" "store_u8" (func $store (param i64 i32))) (import "extism:host/env" "length" (func $length (param i64) (result i64))) (import "extism:host/env" "output_set" (func $output_set (param i64 i64))) (import "extism:host/user" "golem_call" (func $golem_call (param i64 i64) (result i64)))
  (func (export "run") (result i32) (local $name i64) (local $args i64)
    (call $store (local.tee $name (call $alloc (i64.const 1))) (i32.const 255)) (call $store (local.tee $args (call $alloc (i64.const 1))) (i32.const 49))
    (local.set $name (call $golem_call (local.get $name) (local.get $args)))
    (call $output_set (local.get $name) (call $length (local.get $name))) (i32.const 0)))
