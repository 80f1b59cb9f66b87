;; _initialize runs once in an instance that is kept, not before every call.
(module (global $g (mut i32) (i32.const 0)) (func (export "_initialize") (global.set $g (i32.add (global.get $g) (i32.const 1)))) (func (export "run") (result i32) (i32.sub (global.get $g) (i32.const 1))))
