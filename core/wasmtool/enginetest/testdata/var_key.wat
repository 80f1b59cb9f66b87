;; A variable with a name of 60 MiB is read, is not there, and is then set.
(module (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64))) (import "extism:host/env" "var_get" (func $var_get (param i64) (result i64))) (import "extism:host/env" "var_set" (func $var_set (param i64 i64))) (func (export "run") (result i32)
  (if (i64.ne (call $var_get (call $alloc (i64.const 62914560))) (i64.const 0)) (then (return (i32.const 1))))
  (call $var_set (call $alloc (i64.const 62914560)) (call $alloc (i64.const 8))) (i32.const 2)))
