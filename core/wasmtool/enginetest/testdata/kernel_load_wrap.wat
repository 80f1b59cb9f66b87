;; A load whose end wraps around.
(module (import "extism:host/env" "load_u64" (func $load_u64 (param i64) (result i64))) (func (export "run") (result i32) (drop (call $load_u64 (i64.const 0x7ffffffffffffffc))) (i32.const 0)))
