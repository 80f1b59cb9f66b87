;; A store at the greatest offset: its end wraps around to zero.
(module (import "extism:host/env" "store_u64" (func $store_u64 (param i64 i64))) (func (export "run") (result i32) (call $store_u64 (i64.const -4) (i64.const 1)) (i32.const 0)))
