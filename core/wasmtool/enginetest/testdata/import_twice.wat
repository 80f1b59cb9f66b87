;; The same host function imported twice, and a missing one between them.
(module (import "extism:host/env" "input_length" (func $a (result i64))) (import "env" "none" (func $n)) (import "extism:host/env" "input_length" (func $b (result i64))) (func (export "run") (result i32) (i64.ne (call $a) (call $b))))
