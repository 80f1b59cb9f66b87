;; _initialize runs before the first call.
(module (global $g (mut i32) (i32.const 0)) (func (export "_initialize") (global.set $g (i32.const 5))) (func (export "run") (result i32) (i32.sub (global.get $g) (i32.const 5))))
