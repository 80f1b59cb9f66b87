;; A store to a negative offset.
(module (import "extism:host/env" "store_u64" (func $f (param i64 i64))) (func (export "run") (result i32) (call $f (i64.const -8) (i64.const 1)) (i32.const 0)))
