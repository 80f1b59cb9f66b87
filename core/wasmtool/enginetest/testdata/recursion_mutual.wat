;; Two functions that call each other for ever.
(module (func $a (result i32) (call $b)) (func $b (result i32) (call $a)) (func (export "run") (result i32) (call $a)))
