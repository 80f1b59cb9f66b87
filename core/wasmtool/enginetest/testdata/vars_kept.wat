;; A variable is kept as long as its instance.
(module (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64))) (import "extism:host/env" "var_set" (func $var_set (param i64 i64))) (import "extism:host/env" "var_get" (func $var_get (param i64) (result i64))) (import "extism:host/env" "output_set" (func $output_set (param i64 i64))) (import "extism:host/env" "length" (func $length (param i64) (result i64)))
  (func (export "run") (result i32) (local $v i64) (local.set $v (call $var_get (call $alloc (i64.const 1)))) (call $output_set (local.get $v) (call $length (local.get $v)))
    (call $var_set (call $alloc (i64.const 1)) (call $alloc (i64.add (call $length (local.get $v)) (i64.const 1)))) (i32.const 0)))
