;; Emscripten with JavaScript, optimised: its names are single letters.
(module (import "a" "a" (func (param i32))) (import "a" "b" (func (param i32) (result i32))) (memory (export "c") 1) (func (export "d")) (func (export "e") (param i32 i32) (result i32) (i32.const 0)))
