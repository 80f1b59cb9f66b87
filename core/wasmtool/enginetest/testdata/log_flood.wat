;; Logging without end.
(module (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64))) (import "extism:host/env" "log_info" (func $log (param i64))) (func (export "run") (result i32) (loop $l (call $log (call $alloc (i64.const 64))) (br $l)) (i32.const 0)))
