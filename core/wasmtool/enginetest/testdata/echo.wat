;; The Extism way: output is the input.
(module (import "extism:host/env" "input_offset" (func $at (result i64))) (import "extism:host/env" "input_length" (func $n (result i64))) (import "extism:host/env" "output_set" (func $out (param i64 i64)))
  (func (export "run") (result i32) (call $out (call $at) (call $n)) (i32.const 0)))
