;; A variable is set, read, deleted, and read again: then there is none.
(module (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64))) (import "extism:host/env" "var_set" (func $var_set (param i64 i64))) (import "extism:host/env" "var_get" (func $var_get (param i64) (result i64))) (import "extism:host/env" "length" (func $length (param i64) (result i64)))
  (func $k (result i64) (call $alloc (i64.const 3)))
  (func (export "run") (result i32) (call $var_set (call $k) (call $alloc (i64.const 5))) (if (i64.ne (call $length (call $var_get (call $k))) (i64.const 5)) (then (unreachable)))
    (call $var_set (call $k) (i64.const 0)) (i64.ne (call $var_get (call $k)) (i64.const 0))))
