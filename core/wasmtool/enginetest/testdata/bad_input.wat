;; Reading past the input.
(module (import "extism:host/env" "input_load_u64" (func $f (param i64) (result i64))) (func (export "run") (result i32) (i32.wrap_i64 (call $f (i64.const 1)))))
