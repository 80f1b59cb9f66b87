;; Big blocks without end.
(module (import "extism:host/env" "alloc" (func $f (param i64) (result i64))) (func (export "run") (result i32) (loop $l (drop (call $f (i64.const 1048576))) (br $l)) (i32.const 0)))
