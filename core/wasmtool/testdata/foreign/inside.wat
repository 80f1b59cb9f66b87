;; A core module from which a component is built.
(module (import "wasi:cli/stdout@0.2.0" "get-stdout" (func (result i32))) (memory (export "memory") 1) (func (export "wasi:cli/run@0.2.0#run") (result i32) (i32.const 0)))
