;; An output that is too large.
(module (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64))) (import "extism:host/env" "output_set" (func $out (param i64 i64))) (func (export "run") (result i32) (call $out (call $alloc (i64.const 2000000)) (i64.const 2000000)) (i32.const 0)))
