;; An export under the guard's name for its flags is refused.
(module (global $g (mut i32) (i32.const 0)) (export "golem:flags" (global $g)) (func (export "run") (result i32) (i32.const 0)))
