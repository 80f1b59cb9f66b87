;; An input set to a range whose end wraps around.
(module (import "extism:host/env" "input_set" (func $input_set (param i64 i64))) (func (export "run") (result i32) (call $input_set (i64.const 8) (i64.const 0x7fffffffffffffff)) (i32.const 0)))
