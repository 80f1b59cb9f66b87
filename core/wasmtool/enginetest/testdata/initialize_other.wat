;; An _initialize that takes parameters is not an initialiser and is not called.
(module (global $g (mut i32) (i32.const 0)) (func (export "_initialize") (param i32) (global.set $g (i32.const 1))) (func (export "run") (result i32) (global.get $g)))
