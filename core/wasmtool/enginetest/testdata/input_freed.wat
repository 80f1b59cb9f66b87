;; An input that was freed has no length.
(module (import "extism:host/env" "free" (func $free (param i64))) (import "extism:host/env" "input_offset" (func $at (result i64))) (import "extism:host/env" "input_length" (func $n (result i64))) (func (export "run") (result i32) (call $free (call $at)) (i32.wrap_i64 (call $n))))
