;; An export that returns a number below zero.
(module (func (export "run") (result i32) (i32.const -7)))
