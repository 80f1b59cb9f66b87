;; Log lines of 32 MiB: they are cut before they are passed on, and fuel ends the call.
(module (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64))) (import "extism:host/env" "log_info" (func $log_info (param i64))) (func (export "run") (result i32) (loop $l (call $log_info (call $alloc (i64.const 33554432))) (br $l)) (i32.const 0)))
