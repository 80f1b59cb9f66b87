;; One block larger than the whole shared memory.
(module (import "extism:host/env" "alloc" (func $f (param i64) (result i64))) (func (export "run") (result i32) (i32.wrap_i64 (call $f (i64.const 0x7fffffffffffffff)))))
