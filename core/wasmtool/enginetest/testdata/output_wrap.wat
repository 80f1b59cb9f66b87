;; An output of 2^63 bytes.
(module (import "extism:host/env" "output_set" (func $output_set (param i64 i64))) (func (export "run") (result i32) (call $output_set (i64.const 8) (i64.const 0x8000000000000000)) (i32.const 0)))
