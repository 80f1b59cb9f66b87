;; A load outside the shared memory.
(module (import "extism:host/env" "load_u64" (func $f (param i64) (result i64))) (func (export "run") (result i32) (i32.wrap_i64 (call $f (i64.const 9000000000000000000)))))
