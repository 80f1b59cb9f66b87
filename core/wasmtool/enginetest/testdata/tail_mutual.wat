;; Two functions that tail-call each other for ever.
(module (func $f (result i32) (return_call $g)) (func $g (result i32) (return_call $f)) (func (export "run") (result i32) (call $f)))
