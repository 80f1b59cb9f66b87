;; A reset removes the input: reading it afterwards is an error of the module.
(module (import "extism:host/env" "reset" (func $reset)) (import "extism:host/env" "input_load_u8" (func $input_load_u8 (param i64) (result i32))) (func (export "run") (result i32) (call $reset) (call $input_load_u8 (i64.const 4))))
