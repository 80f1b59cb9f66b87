;; golem_call with arguments of 2 MiB, which is below the limit: all of them are passed on.
(module (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64))) (import "extism:host/env" "length" (func $length (param i64) (result i64))) (import "extism:host/env" "output_set" (func $output_set (param i64 i64))) (import "extism:host/user" "golem_call" (func $golem_call (param i64 i64) (result i64)))
  (func (export "run") (result i32) (local $answer i64)
    (local.set $answer (call $golem_call (call $alloc (i64.const 1)) (call $alloc (i64.const 2097152))))
    (call $output_set (local.get $answer) (call $length (local.get $answer))) (i32.const 0)))
