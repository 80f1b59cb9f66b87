;; A module that imports its memory.
(module (import "env" "memory" (memory 1)) (import "extism:host/env" "input_length" (func (result i64))) (func (export "run") (result i32) (i32.const 0)))
