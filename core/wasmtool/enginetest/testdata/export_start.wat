;; An export under the guard's name for start sections is refused.
(module (func $f) (export "golem:start" (func $f)) (func (export "run") (result i32) (i32.const 0)))
